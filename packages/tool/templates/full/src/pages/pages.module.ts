import { defineModule, inject, provide } from "@tenon/core";
import { KeyValue } from "@tenon/data";
import { WebSessionSettings } from "@tenon/web";
import { readSessionSecret } from "../config.ts";
import { DataModule } from "../data.module.ts";
import { GreetingsService } from "../greetings/greetings.service.ts";
import { GreetingsPages } from "./greetings.pages.ts";

/** The module of the pages. They use the same services as the API and the commands. */
export const PagesModule = defineModule({
  name: "pages",
  imports: [DataModule],
  declarations: [
    GreetingsPages,
    GreetingsService,
    provide(WebSessionSettings, () => ({ store: inject(KeyValue), secret: readSessionSecret() })),
  ],
});
