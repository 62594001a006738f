import { defineModule, inject, provide } from "@tenon/core";
import { KeyValue } from "@tenon/data";
import { WebSessionSettings } from "@tenon/web";
import { AuthModule } from "./auth.module.ts";
import { DataModule } from "./data.module.ts";
import { UsersModule } from "./users/users.module.ts";

/** Stands for the module of the application, which the tests of pages import. It is not generated. */
export const AppModule = defineModule({
  name: "app",
  imports: [DataModule, AuthModule, UsersModule],
  declarations: [provide(WebSessionSettings, () => ({ store: inject(KeyValue), secret: "" }))],
});
