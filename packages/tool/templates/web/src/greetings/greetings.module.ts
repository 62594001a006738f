import { defineModule } from "@tenon/core";
import { GreetingsPages } from "./greetings.pages.ts";
import { GreetingsService } from "./greetings.service.ts";

export const GreetingsModule = defineModule({
  name: "greetings",
  declarations: [GreetingsPages, GreetingsService],
  exports: [GreetingsService],
});
