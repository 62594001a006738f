import { BearerAuth, invalidToken } from "@tenon/auth";
import { endpoint, inject, routes } from "@tenon/core";
import { LoginDTO, RegisterDTO, Token } from "./users.dto.ts";
import { User } from "./users.record.ts";
import { UsersService } from "./users.service.ts";

export class UsersController {
  readonly #users = inject(UsersService);

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
      body: RegisterDTO,
      returns: { 201: User },
      errors: { 400: "Password too long", 409: "Email already registered", 503: "Service Unavailable" },
    },
    async (ctx, { body }) => {
      if (!this.#users.fits(body.password)) return ctx.fail(400);
      return (await this.#users.register(body)) ?? ctx.fail(409);
    },
  );

  readonly login = endpoint(
    {
      summary: "Log in",
      body: LoginDTO,
      returns: Token,
      errors: { 401: "Invalid credentials", 429: "Too Many Requests", 503: "Service Unavailable" },
    },
    async (ctx, { body }) => {
      const token = await this.#users.login(ctx, body);
      return token === undefined ? ctx.fail(401) : { token };
    },
  );

  readonly me = endpoint({ summary: "The user of the token", returns: User }, async (ctx) => {
    return (await this.#users.find(ctx.get("user_id"))) ?? invalidToken(ctx);
  });
}
