import { createApp } from "@tenon/core";
import { readAddress } from "./config.ts";
import { PagesModule } from "./pages/pages.module.ts";
import { createPagesPlatform } from "./pages/pages.platform.ts";

const address = readAddress(8081);
const app = await createApp(PagesModule, createPagesPlatform());
await app.listen(address);
