import { defineModule } from "@tenon/core";
import { GreetingsModule } from "./greetings/greetings.module.ts";

/** The module of the API and of the commands. */
export const AppModule = defineModule({
  name: "app",
  imports: [GreetingsModule],
});
