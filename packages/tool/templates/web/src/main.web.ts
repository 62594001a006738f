import { createApp } from "@tenon/core";
import { AppModule } from "./app.module.ts";
import { readAddress } from "./config.ts";
import { createPlatform } from "./platform.ts";

const address = readAddress();
const app = await createApp(AppModule, createPlatform());
await app.listen(address);
