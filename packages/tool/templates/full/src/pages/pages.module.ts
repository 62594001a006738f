import { defineModule, inject, provide } from "@tenon/core";
import { HealthController, KeyValue } from "@tenon/data";
import { devtools } from "@tenon/observe/devtools";
import { WebSessionSettings } from "@tenon/web";
import { Config, ConfigModule } from "../config.ts";
import { DataModule } from "../data.module.ts";
import { GreetingsService } from "../greetings/greetings.service.ts";
import { GreetingsPages } from "./greetings.pages.ts";

/** The module of the pages. They use the same services as the API and the commands. */
export const PagesModule = defineModule({
  name: "pages",
  imports: [devtools(), ConfigModule, DataModule],
  declarations: [
    GreetingsPages,
    GreetingsService,
    HealthController,
    provide(WebSessionSettings, () => ({ store: inject(KeyValue), secret: inject(Config).readSessionSecret() })),
  ],
});
