import { createApp } from "@tenon/core";
import { worker } from "@tenon/jobs";
import { createAppModule } from "./app.module.ts";
import { readConfigOrExit } from "./config.ts";

const config = readConfigOrExit({ bcryptCost: 14 });
const app = await createApp(createAppModule(config), worker());
await app.run();
