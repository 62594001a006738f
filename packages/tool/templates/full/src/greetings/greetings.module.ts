import { defineModule } from "@tenon/core";
import { GreetingsCommands } from "./greetings.commands.ts";
import { GreetingsController } from "./greetings.controller.ts";
import { GreetingsService } from "./greetings.service.ts";

export const GreetingsModule = defineModule({
  name: "greetings",
  declarations: [GreetingsController, GreetingsCommands, GreetingsService],
  exports: [GreetingsService],
});
