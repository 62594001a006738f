import { defineModule, inject, provide } from "@tenon/core";
import { DatabaseCommands, HealthController, KeyValue } from "@tenon/data";
import { WebSessionSettings } from "@tenon/web";
import { Config, ConfigModule } from "./config.ts";
import { DataModule } from "./data.module.ts";
import { GreetingsModule } from "./greetings/greetings.module.ts";

export const AppModule = defineModule({
  name: "app",
  imports: [ConfigModule, DataModule, GreetingsModule],
  declarations: [
    DatabaseCommands,
    HealthController,
    provide(WebSessionSettings, () => ({ store: inject(KeyValue), secret: inject(Config).readSessionSecret() })),
  ],
});
