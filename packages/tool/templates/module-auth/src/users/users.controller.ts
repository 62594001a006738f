import { BearerAuth, invalidToken, Tokens } from "@tenon/auth";
import { dto, inject, route, string } from "@tenon/core";
import { LoginDTO, RegisterDTO, User } from "./users.dto.ts";
import { UsersService } from "./users.service.ts";

const Token = dto({ token: string("required") });

export class UsersController {
  readonly #users = inject(UsersService);
  readonly #tokens = inject(Tokens);

  readonly register = route.post(
    "/auth/register",
    {
      summary: "Create an account",
      public: true,
      body: RegisterDTO,
      returns: { 201: User },
      errors: { 409: "Email already registered", 503: "Service Unavailable" },
    },
    async (ctx, { body }) => (await this.#users.register(body)) ?? ctx.fail(409),
  );

  readonly login = route.post(
    "/auth/login",
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

  readonly me = route.get(
    "/auth/me",
    { middlewares: [BearerAuth], summary: "The user of the token", returns: User },
    async (ctx) => (await this.#users.find(ctx.get("user_id"))) ?? invalidToken(ctx),
  );

  routes() {
    return [this.register, this.login, this.me];
  }
}
