import { defineModule, inject, provide } from "@tenon/core";
import { DatabaseCommands, HealthController, KeyValue } from "@tenon/data";
import { JobCommands } from "@tenon/jobs";
import { devtools } from "@tenon/observe/devtools";
import { WebSessionSettings } from "@tenon/web";
import { Config, ConfigModule } from "./config.ts";
import { DataModule } from "./data.module.ts";
import { GreetingsModule } from "./greetings/greetings.module.ts";
import { JobsModule } from "./jobs.module.ts";

export const AppModule = defineModule({
  name: "app",
  imports: [devtools(), ConfigModule, DataModule, JobsModule, GreetingsModule],
  declarations: [
    DatabaseCommands,
    HealthController,
    JobCommands,
    provide(WebSessionSettings, () => ({ store: inject(KeyValue), secret: inject(Config).readSessionSecret() })),
  ],
});
