import { inject } from "@tenon/core";
import { KeyValue } from "@tenon/data";
import { sessionsModule } from "@tenon/web";
import { Config, ConfigModule } from "../config.ts";
import { DataModule } from "../data.module.ts";

/** Sessions of browsers, for `WebSessions` in the middlewares of the platform. */
export const WebSessionsModule = sessionsModule(DataModule, {
  imports: [ConfigModule],
  store: KeyValue,
  secret: () => inject(Config).readSessionSecret(),
});
