import { BearerAuth, invalidToken, SessionAuth, SessionOrigin, Sessions } from "@tenon/auth";
import { inject } from "@tenon/core";
import { StoreError } from "@tenon/data";
import { storeFailures } from "../database/store-failures.ts";
import { User } from "../users/users.dto.ts";
import { UsersService } from "../users/users.service.ts";
import { LoggedOut, LoginDTO, LoginResponse, RefreshDTO, RegisterDTO, StoreFailure, Tokens } from "./auth.dto.ts";
import { loginErrors, refreshErrors, registerErrors, sessionErrors, wrongCredentials } from "./auth.errors.ts";
import { auth } from "./auth.routes.ts";
import { AuthService } from "./auth.service.ts";
import { LogoutOrigin, readRefreshToken } from "./logout.ts";

/** The authentication endpoints of the full reference. */
export class AuthController {
  readonly #auth = inject(AuthService);
  readonly #users = inject(UsersService);
  readonly #sessions = inject(Sessions);

  readonly register = auth.post(
    "/register",
    {
      summary: "Create a user and log in",
      access: "public",
      body: RegisterDTO,
      returns: { 201: LoginResponse },
      errors: registerErrors,
    },
    async (ctx, { body }) => {
      const user = await this.#auth.register(body, ctx);
      return user === undefined ? ctx.fail(409) : this.#auth.toLoginResponse(user, ctx);
    },
  );

  readonly login = auth.post(
    "/login",
    {
      summary: "Log in, for an access token",
      access: "public",
      body: LoginDTO,
      returns: LoginResponse,
      errors: loginErrors,
    },
    async (ctx, { body }) => {
      const user = await this.#auth.login(body, ctx);
      return user === undefined ? ctx.fail(401, wrongCredentials) : this.#auth.toLoginResponse(user, ctx);
    },
  );

  readonly logout = auth.post(
    "/logout",
    {
      middlewares: [LogoutOrigin],
      summary: "End the session of the cookie, and a refresh token",
      access: "public",
      description: "The refresh token is `refresh_token` of a JSON body. A body that cannot be read is ignored.",
      returns: LoggedOut,
      errors: { 500: StoreFailure },
    },
    async (ctx) => {
      const refreshToken = await readRefreshToken(ctx);
      try {
        await this.#auth.logout(ctx, refreshToken);
        return { message: "Logged out" };
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        // reported, because the session is still in the store; returned instead of thrown, so that the cookie is still cleared
        ctx.log.error({ err: error }, "the session could not be ended");
        return ctx.status(500).json({ error: error.message });
      }
    },
  );

  readonly me = auth.get(
    "/me",
    { middlewares: [BearerAuth], summary: "The user of the token", returns: User, errors: storeFailures },
    async (ctx) => (await this.#users.find(ctx.get("user_id"))) ?? invalidToken(ctx),
  );

  readonly token = auth.post(
    "/token",
    {
      summary: "Log in, for an access token and a refresh token",
      access: "public",
      body: LoginDTO,
      returns: Tokens,
      errors: loginErrors,
    },
    async (ctx, { body }) => {
      const user = await this.#auth.login(body, ctx);
      return user === undefined ? ctx.fail(401, wrongCredentials) : this.#auth.issuePair(user, ctx);
    },
  );

  readonly refresh = auth.post(
    "/refresh",
    {
      summary: "New tokens for a refresh token, which is consumed",
      access: "public",
      body: RefreshDTO,
      returns: Tokens,
      errors: refreshErrors,
    },
    async (ctx, { body }) => (await this.#auth.refresh(body.refresh_token)) ?? ctx.fail(401),
  );

  readonly openSession = auth.post(
    "/session",
    {
      middlewares: [SessionOrigin],
      summary: "Log in, for a session cookie",
      access: "public",
      body: LoginDTO,
      returns: { 201: User },
      errors: { ...loginErrors, 500: storeFailures[500] },
    },
    async (ctx, { body }) => {
      const user = await this.#auth.login(body, ctx);
      if (user === undefined) return ctx.fail(401, wrongCredentials);
      await this.#sessions.open(ctx, user.id);
      return user;
    },
  );

  readonly session = auth.get(
    "/session",
    { middlewares: [SessionAuth], summary: "The user of the session", returns: User, errors: sessionErrors },
    async (ctx) => (await this.#users.find(ctx.get("user_id"))) ?? ctx.fail(401),
  );

  routes() {
    return [this.register, this.login, this.logout, this.me, this.token, this.refresh, this.openSession, this.session];
  }
}
