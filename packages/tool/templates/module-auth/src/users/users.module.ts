import { defineModule } from "@tenon/core";
import { AuthModule } from "../auth.module.ts";
import { DataModule } from "../data.module.ts";
import { UsersController } from "./users.controller.ts";
import { UsersPages } from "./users.pages.ts";
import { UsersService } from "./users.service.ts";

export const UsersModule = defineModule({
  name: "users",
  imports: [DataModule, AuthModule],
  declarations: [UsersController, UsersPages, UsersService],
  exports: [UsersService],
});
