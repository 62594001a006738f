import { defineModule } from "@tenon/core";
import { DatabaseCommands, HealthController } from "@tenon/data";
import { DataModule } from "./data.module.ts";
import { GreetingsModule } from "./greetings/greetings.module.ts";

export const AppModule = defineModule({
  name: "app",
  imports: [DataModule, GreetingsModule],
  declarations: [DatabaseCommands, HealthController],
});
