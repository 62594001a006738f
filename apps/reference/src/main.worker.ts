import { createApp } from "@tenon/core";
import { worker } from "@tenon/jobs";
import { createAppModule } from "./app.module.ts";
import { Config } from "./config.ts";
import { loadObserved } from "./observed.ts";

// mails link to the pages, whose port this is by default
const config = Config.readOrExit({ defaults: { PORT: "8081" } });
const observed = await loadObserved(config);
const app = await createApp(createAppModule({ accounts: "jobs", observed }), worker(), { config });
await app.run();
