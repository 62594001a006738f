import { Clock } from "@tenon/auth";
import { type Context, dto, group, HttpError, type Infer, inject, routes, string, takes } from "@tenon/core";
import { isRole, roles, toUser } from "./user.ts";
import { UsersService } from "./users.service.ts";

const CreateUser = dto({
  email: string("required", "email").describe("The address to log in with"),
  name: string("required").describe("The name that posts are signed with"),
  password: string("min=8").describe("Give it with --stdin, where no process list shows it; one is made up without it"),
});

/** Users at a terminal. Roles are given here and nowhere else. */
export class UsersCommands {
  readonly #users = inject(UsersService);
  readonly #clock = inject(Clock);

  routes() {
    return routes([
      group("users", [
        { path: "list", handler: this.list },
        { path: "create", handler: takes(CreateUser, this.create) },
        { path: "role/:email/:role", handler: this.role },
      ]),
    ]);
  }

  async list() {
    const users = await this.#users.list();
    return users.map((user) => ({ ...toUser(user), role: user.role }));
  }

  async create(_: Context, { email, name, password }: Infer<typeof CreateUser>) {
    const madeUp = password === undefined ? this.#clock.secret() : undefined;
    const user = await this.#users.create({ email, name, password: password ?? madeUp ?? "" });
    if (user === undefined) throw new HttpError(409, "Email already registered");
    return { ...toUser(user), ...(madeUp === undefined ? {} : { password: madeUp }) };
  }

  async role(ctx: Context<"users/role/:email/:role">) {
    const role = ctx.param("role");
    if (!isRole(role)) throw new HttpError(400, `"${role}" is not a role. Roles: ${roles.join(", ")}.`);
    const user = await this.#users.setRole(ctx.param("email"), role);
    if (user === undefined) throw new HttpError(404, "User not found");
    return { ...toUser(user), role: user.role };
  }
}
