import { defineModule } from "@tenon/core";
import { DatabaseCommands, HealthController } from "@tenon/data";
import { JobCommands } from "@tenon/jobs";
import { ConfigModule } from "./config.ts";
import { DataModule } from "./data.module.ts";
import { GreetingsCommands } from "./greetings/greetings.commands.ts";
import { GreetingsController } from "./greetings/greetings.controller.ts";
import { GreetingsModule } from "./greetings/greetings.module.ts";
import { JobsModule } from "./jobs.module.ts";

/** The API and the commands. The modules that it imports carry services, for the pages too. */
export const AppModule = defineModule({
  name: "app",
  imports: [ConfigModule, DataModule, JobsModule, GreetingsModule],
  declarations: [DatabaseCommands, HealthController, JobCommands, GreetingsController, GreetingsCommands],
});
