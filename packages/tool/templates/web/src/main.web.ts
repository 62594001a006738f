import { createApp } from "@tenon/core";
import { AppModule } from "./app.module.ts";
import { readConfig } from "./config.ts";
import { createPlatform } from "./platform.ts";

const { port, host } = readConfig();
const app = await createApp(AppModule, createPlatform());
await app.listen({ port, host });
