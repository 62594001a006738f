import { createApp } from "@tenon/core";
import { cli } from "@tenon/core/cli";
import { AppModule } from "./app.module.ts";

const platform = cli({
  name: "my-app",
  version: "0.1.0",
  // described groups come after your own commands in the help
  groups: { migrate: "Migrations of the database", db: "Data of the database", jobs: "Background jobs" },
});
const app = await createApp(AppModule, platform);
await app.run();
