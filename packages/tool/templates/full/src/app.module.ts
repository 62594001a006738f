import { defineModule } from "@tenon/core";
import { GreetingsModule } from "./greetings/greetings.module.ts";

/** What the API and the commands are made of. */
export const AppModule = defineModule({
  name: "app",
  imports: [GreetingsModule],
});
