import { defineModule } from "@tenon/core";
import { DatabaseCommands, HealthController } from "@tenon/data";
import { JobCommands } from "@tenon/jobs";
import { ConfigModule } from "./config.ts";
import { DataModule } from "./data.module.ts";
import { GreetingsModule } from "./greetings/greetings.module.ts";
import { JobsModule } from "./jobs.module.ts";

/** The module of the API and of the commands. */
export const AppModule = defineModule({
  name: "app",
  imports: [ConfigModule, DataModule, JobsModule, GreetingsModule],
  declarations: [DatabaseCommands, HealthController, JobCommands],
});
