import { defineModule, inject, provide } from "@tenon/core";
import { KeyValue } from "@tenon/data";
import { WebSessionSettings } from "@tenon/web";
import { readSessionSecret } from "./config.ts";
import { DataModule } from "./data.module.ts";
import { GreetingsModule } from "./greetings/greetings.module.ts";

export const AppModule = defineModule({
  name: "app",
  imports: [DataModule, GreetingsModule],
  declarations: [provide(WebSessionSettings, () => ({ store: inject(KeyValue), secret: readSessionSecret() }))],
});
