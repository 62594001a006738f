{% if (sessions) { -%}
import { SessionAuth, SessionOrigin, Sessions } from "@tenon/auth";
import { inject, route } from "@tenon/core";
{% } else { -%}
import { BearerAuth, invalidToken, Tokens } from "@tenon/auth";
import { dto, inject, route, string } from "@tenon/core";
{% } -%}
import { LoginDTO, RegisterDTO, User } from "./users.dto.ts";
import { UsersService } from "./users.service.ts";
{% if (!sessions) { -%}

const Token = dto({ token: string("required") });
{% } -%}

export class UsersController {
  readonly #users = inject(UsersService);
{% if (sessions) { -%}
  readonly #sessions = inject(Sessions);
{% } else { -%}
  readonly #tokens = inject(Tokens);
{% } -%}

  readonly register = route.post(
    "/auth/register",
    {
      summary: "Create an account",
      access: "public",
      body: RegisterDTO,
      returns: { 201: User },
      errors: { 409: "Email already registered", 429: "Too Many Requests", 503: "Service Unavailable" },
    },
    async (ctx, { body }) => (await this.#users.register(body, ctx)) ?? ctx.fail(409),
  );

{% if (sessions) { -%}
  readonly login = route.post(
    "/auth/login",
    {
      middlewares: [SessionOrigin],
      summary: "Log in: sets the cookie of a new session",
      access: "public",
      body: LoginDTO,
      returns: User,
      errors: { 401: ["Invalid credentials", "Second factor required"], 429: "Too Many Requests", 503: "Service Unavailable" },
    },
    async (ctx, { body }) => {
      const user = await this.#users.login(body, ctx);
      if (user === undefined) return ctx.fail(401, "Invalid credentials");
      await this.#sessions.open(ctx, user.id, { account: user.email }); // failures of others do not lock this client out
      return user;
    },
  );

  readonly logout = route.post(
    "/auth/logout",
    { middlewares: [SessionOrigin], summary: "Log out: ends the session", access: "public", returns: { 204: null } },
    (ctx) => this.#sessions.close(ctx),
  );

  readonly me = route.get(
    "/auth/me",
    {
      middlewares: [SessionAuth],
      summary: "The user of the session",
      returns: User,
      errors: { 401: "Invalid session" },
    },
    async (ctx) => (await this.#users.find(ctx.get("user_id"))) ?? ctx.fail(401),
  );

  routes() {
    return [this.register, this.login, this.logout, this.me];
  }
}
{% } else { -%}
  readonly login = route.post(
    "/auth/login",
    {
      summary: "Log in",
      access: "public",
      body: LoginDTO,
      returns: Token,
      errors: { 401: ["Invalid credentials", "Second factor required"], 429: "Too Many Requests", 503: "Service Unavailable" },
    },
    async (ctx, { body }) => {
      const user = await this.#users.login(body, ctx);
      return user === undefined ? ctx.fail(401, "Invalid credentials") : { token: await this.#tokens.issue(user, ctx) };
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
{% } -%}
