import { api, createApp } from "@tenon/core";
import { AppModule } from "./app.module.ts";

const app = await createApp(AppModule, api());
await app.listen({ port: 8080 });
