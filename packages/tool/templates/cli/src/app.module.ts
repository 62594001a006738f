import { defineModule } from "@tenon/core";
import { GreetingsModule } from "./greetings/greetings.module.ts";

export const AppModule = defineModule({
  name: "app",
  imports: [GreetingsModule],
});
