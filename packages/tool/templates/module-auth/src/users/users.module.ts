import { defineModule } from "@tenon/core";
import { AuthModule } from "../auth.module.ts";
import { DataModule } from "../data.module.ts";
import { UsersCommands } from "./users.commands.ts";
{% if (routes) { -%}
import { UsersController } from "./users.controller.ts";
{% } -%}
{% if (pagesOnly) { -%}
import { UsersPages } from "./users.pages.ts";
{% } -%}
import { UsersService } from "./users.service.ts";

export const UsersModule = defineModule({
  name: "users",
  imports: [DataModule, AuthModule],
  declarations: [{%= routes ? "UsersController" : "UsersPages" %}, UsersCommands, UsersService],
  exports: [UsersService],
});
