import { api, createApp } from "@tenon/core";
import { accessLog, requestId, secureHeaders } from "@tenon/core/middleware";
import { AppModule } from "./app.module.ts";
import { readAddress } from "./config.ts";

const address = readAddress(8080);
// rejected input is listed in the response, field by field
const platform = api({ errors: "issues", middlewares: [requestId(), accessLog(), secureHeaders()] });
const app = await createApp(AppModule, platform);
await app.listen(address);
