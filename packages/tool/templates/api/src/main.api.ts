import { api, createApp } from "@tenon/core";
import { accessLog, requestId, secureHeaders } from "@tenon/core/middleware";
import { AppModule } from "./app.module.ts";
import { Config } from "./config.ts";

// flags take precedence over variables: npm start -- --port=3000, or PORT=3000
const config = Config.readOrExit({ flags: ["PORT", "HOST"] });
const platform = api({
  trustedProxies: config.trustedProxies,
  errors: "issues", // rejected input is listed in the response, field by field
  middlewares: [requestId(), accessLog(), secureHeaders()],
  docs: true, // the page /docs and the document /openapi.json, in development only
  openapi: { title: "my-app", version: "0.1.0" },
});
const app = await createApp(AppModule, platform, { config });
await app.listen({ port: config.port, host: config.host });
