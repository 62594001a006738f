import { api, createApp } from "@tenon/core";
import { accessLog, requestId, secureHeaders } from "@tenon/core/middleware";
import { AppModule } from "./app.module.ts";
import { readConfig } from "./config.ts";

const { port, host } = readConfig(8080);
const platform = api({
  errors: "issues", // rejected input is listed in the response, field by field
  middlewares: [requestId(), accessLog(), secureHeaders()],
  docs: true, // the page /docs and the document /openapi.json
  openapi: { title: "my-app", version: "0.1.0" },
});
const app = await createApp(AppModule, platform);
await app.listen({ port, host });
