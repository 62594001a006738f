import { defineModule } from "@tenon/core";
import { GreetingsService } from "./greetings.service.ts";

/** The services. The API, the commands and the pages import them. */
export const GreetingsModule = defineModule({
  name: "greetings",
  declarations: [GreetingsService],
  exports: [GreetingsService],
});
