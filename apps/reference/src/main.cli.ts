import { createApp } from "@tenon/core";
import { cli } from "@tenon/core/cli";
import { createAppModule } from "./app.module.ts";
import { Config } from "./config.ts";
import { loadObserved } from "./observed.ts";

const config = Config.readOrExit();
const app = await createApp(
  createAppModule({ accounts: "commands", observed: await loadObserved(config) }),
  cli({
    name: "blog",
    version: "0.1.0",
    description: "The reference service on the command line",
    groups: {
      posts: "What readers see",
      users: "Who may write",
      accounts: "Addresses, second factors and logins of users",
      keys: "API keys, which programs use instead of a login",
      db: "The database, which every command opens",
    },
  }),
  { config },
);
await app.run();
