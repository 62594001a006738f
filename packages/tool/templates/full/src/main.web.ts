import { createApp } from "@tenon/core";
import { readConfig } from "./config.ts";
import { PagesModule } from "./pages/pages.module.ts";
import { createPagesPlatform } from "./pages/pages.platform.ts";

const { port, host } = readConfig(8081);
const app = await createApp(PagesModule, createPagesPlatform());
await app.listen({ port, host });
