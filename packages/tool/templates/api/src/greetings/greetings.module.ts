import { defineModule } from "@tenon/core";
import { GreetingsController } from "./greetings.controller.ts";
import { GreetingsService } from "./greetings.service.ts";

export const GreetingsModule = defineModule({
  name: "greetings",
  declarations: [GreetingsController, GreetingsService],
  exports: [GreetingsService],
});
