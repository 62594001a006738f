import { defineModule } from "@tenon/core";
import { HealthController } from "@tenon/data";
import { ConfigModule } from "../config.ts";
import { DataModule } from "../data.module.ts";
import { GreetingsModule } from "../greetings/greetings.module.ts";
import { GreetingsPages } from "./greetings.pages.ts";
import { WebSessionsModule } from "./web-sessions.module.ts";

/** The pages, on the modules whose services the API and the commands use. */
export const PagesModule = defineModule({
  name: "pages",
  imports: [ConfigModule, DataModule, WebSessionsModule, GreetingsModule],
  declarations: [HealthController, GreetingsPages],
});
