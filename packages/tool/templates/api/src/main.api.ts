import { api, createApp } from "@tenon/core";
import { accessLog, requestId, secureHeaders } from "@tenon/core/middleware";
import { AppModule } from "./app.module.ts";
import { readAddress } from "./config.ts";

const address = readAddress();
const app = await createApp(AppModule, api({ middlewares: [requestId(), accessLog(), secureHeaders()] }));
await app.listen(address);
