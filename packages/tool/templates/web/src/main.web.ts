import { createApp } from "@tenon/core";
import { AppModule } from "./app.module.ts";
import { Config } from "./config.ts";
import { createPlatform } from "./platform.ts";

// flags take precedence over variables: npm start -- --port=3000, or PORT=3000
const config = Config.readOrExit({ flags: ["PORT", "HOST"] });
const app = await createApp(AppModule, createPlatform(), { config });
await app.listen({ port: config.port, host: config.host });
