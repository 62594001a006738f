import { defineModule } from "@tenon/core";
import { DatabaseCommands } from "@tenon/data";
import { JobCommands } from "@tenon/jobs";
import { DataModule } from "./data.module.ts";
import { GreetingsModule } from "./greetings/greetings.module.ts";
import { JobsModule } from "./jobs.module.ts";

export const AppModule = defineModule({
  name: "app",
  imports: [DataModule, JobsModule, GreetingsModule],
  declarations: [DatabaseCommands, JobCommands],
});
