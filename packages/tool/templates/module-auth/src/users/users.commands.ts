import { randomBytes } from "node:crypto";
import { dto, inject, route, string } from "@tenon/core";
import { RegisterDTO } from "./users.dto.ts";
import { UsersService } from "./users.service.ts";

const Email = RegisterDTO.pick("email");
const EmailAndRole = dto({ email: RegisterDTO.fields.email, role: string("required", "max=50") });

/** The only place where roles are set: no request can change them. */
export class UsersCommands {
  readonly #users = inject(UsersService);

  readonly admin = route.command(
    "users/admin/:email",
    { summary: "Make a user an administrator; a new user gets a password, which is printed once", params: Email },
    async (_, { params: { email } }) => {
      const user = await this.#users.setRole(email, "admin");
      if (user !== undefined) return { email: user.email, role: user.role };
      const password = randomBytes(18).toString("base64url");
      await this.#users.register({ email, password }, undefined, "admin");
      return { email: email.toLowerCase(), role: "admin", password };
    },
  );

  readonly role = route.command(
    "users/role/:email/:role",
    { summary: "Give a user a role", params: EmailAndRole, errors: { 404: "User not found" } },
    async (ctx, { params: { email, role } }) => {
      const user = await this.#users.setRole(email, role);
      return user === undefined ? ctx.fail(404) : { email: user.email, role: user.role };
    },
  );

  routes() {
    return [this.admin, this.role];
  }
}
