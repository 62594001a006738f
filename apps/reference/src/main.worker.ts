import { createApp } from "@tenon/core";
import { worker } from "@tenon/jobs";
import { createAppModule } from "./app.module.ts";
import { Config } from "./config.ts";
import { loadObserved } from "./observed.ts";

const config = Config.readOrExit();
const app = await createApp(createAppModule({ observed: await loadObserved(config) }), worker(), { config });
await app.run();
