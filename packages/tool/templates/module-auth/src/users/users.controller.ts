import { BearerAuth, invalidToken, Tokens } from "@tenon/auth";
import { dto, endpoint, inject, routes, string } from "@tenon/core";
import { LoginDTO, RegisterDTO } from "./users.dto.ts";
import { User } from "./users.record.ts";
import { UsersService } from "./users.service.ts";

const Token = dto("Token", { token: string("required") });

export class UsersController {
  readonly #users = inject(UsersService);
  readonly #tokens = inject(Tokens);

  routes() {
    return routes([
      { method: "POST", path: "/auth/register", handler: this.register },
      { method: "POST", path: "/auth/login", handler: this.login },
      { method: "GET", path: "/auth/me", handler: this.me, middlewares: [BearerAuth] },
    ]);
  }

  readonly register = endpoint(
    {
      summary: "Create an account",
      public: true,
      body: RegisterDTO,
      returns: { 201: User },
      errors: { 409: "Email already registered", 503: "Service Unavailable" },
    },
    async (ctx, { body }) => (await this.#users.register(body)) ?? ctx.fail(409),
  );

  readonly login = endpoint(
    {
      summary: "Log in",
      public: true,
      body: LoginDTO,
      returns: Token,
      errors: { 401: "Invalid credentials", 429: "Too Many Requests", 503: "Service Unavailable" },
    },
    async (ctx, { body }) => {
      const user = await this.#users.login(body, ctx);
      return user === undefined ? ctx.fail(401) : { token: await this.#tokens.issue(user) };
    },
  );

  readonly me = endpoint(
    { summary: "The user of the token", returns: User },
    async (ctx) => (await this.#users.find(ctx.get("user_id"))) ?? invalidToken(ctx),
  );
}
