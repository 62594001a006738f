import { defineModule } from "@tenon/core";
import { GreetingsController } from "./greetings.controller.ts";
import { GreetingsService } from "./greetings.service.ts";

export const AppModule = defineModule({
  name: "hello",
  declarations: [GreetingsController, GreetingsService],
});
