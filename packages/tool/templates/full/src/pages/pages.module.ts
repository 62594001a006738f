import { defineModule } from "@tenon/core";
import { HealthController } from "@tenon/data";
import { ConfigModule } from "../config.ts";
import { DataModule } from "../data.module.ts";
import { GreetingsService } from "../greetings/greetings.service.ts";
import { GreetingsPages } from "./greetings.pages.ts";
import { WebSessionsModule } from "./web-sessions.module.ts";

/** The module of the pages. They use the same services as the API and the commands. */
export const PagesModule = defineModule({
  name: "pages",
  imports: [ConfigModule, DataModule, WebSessionsModule],
  declarations: [GreetingsPages, GreetingsService, HealthController],
});
