import { createApp } from "@tenon/core";
import { Config } from "./config.ts";
import { PagesModule } from "./pages/pages.module.ts";
import { createPagesPlatform } from "./pages/pages.platform.ts";

// flags take precedence over variables: npm run start:web -- --port=3000, or PORT=3000
const config = Config.readOrExit({ flags: ["PORT", "HOST"], defaults: { PORT: "8081" } });
const app = await createApp(PagesModule, createPagesPlatform(), { config });
await app.listen({ port: config.port, host: config.host });
