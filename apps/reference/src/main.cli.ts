import { createApp } from "@tenon/core";
import { cli } from "@tenon/core/cli";
import { createAppModule } from "./app.module.ts";
import { readConfigOrExit } from "./config.ts";

const config = readConfigOrExit({ bcryptCost: 14 });
const app = await createApp(
  createAppModule(config),
  cli({ name: "blog", version: "0.1.0", description: "The reference service on the command line" }),
);
await app.run();
