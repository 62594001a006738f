import { createApp } from "@tenon/core";
import { worker } from "@tenon/jobs";
import { createAppModule } from "./app.module.ts";
import { readConfigOrExit } from "./config.ts";
import { loadObserved } from "./observed.ts";

const config = readConfigOrExit({ bcryptCost: 14 });
const app = await createApp(createAppModule(config, { observed: await loadObserved(config) }), worker());
await app.run();
