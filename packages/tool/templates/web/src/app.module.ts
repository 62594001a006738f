import { defineModule } from "@tenon/core";
import { DatabaseCommands, HealthController } from "@tenon/data";
import { JobCommands } from "@tenon/jobs";
import { ConfigModule } from "./config.ts";
import { DataModule } from "./data.module.ts";
import { GreetingsModule } from "./greetings/greetings.module.ts";
import { JobsModule } from "./jobs.module.ts";
import { WebSessionsModule } from "./web-sessions.module.ts";

export const AppModule = defineModule({
  name: "app",
  imports: [ConfigModule, DataModule, JobsModule, WebSessionsModule, GreetingsModule],
  declarations: [DatabaseCommands, HealthController, JobCommands],
});
