import { defineModule } from "@tenon/core";
{% if (accounts) { -%}
import { AccountsModule } from "../accounts.module.ts";
{% } -%}
import { AuthModule } from "../auth.module.ts";
import { DataModule } from "../data.module.ts";
{% if (!split) { -%}
import { UsersCommands } from "./users.commands.ts";
{% } -%}
{% if (routes && !split) { -%}
import { UsersController } from "./users.controller.ts";
{% } -%}
{% if (pagesOnly) { -%}
import { UsersPages } from "./users.pages.ts";
{% } -%}
import { UsersService } from "./users.service.ts";

export const UsersModule = defineModule({
  name: "users",
  imports: [DataModule, AuthModule{%= accounts ? ", AccountsModule" : "" %}],
  declarations: [{%= split ? "" : `${routes ? "UsersController" : "UsersPages"}, UsersCommands, ` %}UsersService],
  exports: [UsersService],
});
