import { BearerAuth, invalidToken, SessionAuth, SessionOrigin, sessionCookie, sessionSeconds } from "@tenon/auth";
import { type Context, endpoint, group, HttpError, inject, routes } from "@tenon/core";
import { bodyLimit } from "@tenon/core/middleware";
import { StoreError } from "@tenon/data";
import { storeFailures } from "../database/store-failures.ts";
import { User } from "../users/users.dto.ts";
import { UsersService } from "../users/users.service.ts";
import {
  LoggedOut,
  LoginDTO,
  LoginResponse,
  LogoutDTO,
  maxAuthBody,
  RefreshDTO,
  RegisterDTO,
  StoreFailure,
  Tokens,
} from "./auth.dto.ts";
import { busy, loginRefused, notCreated, notIssued } from "./auth.errors.ts";
import { AuthService } from "./auth.service.ts";
import { noStore } from "./no-store.ts";

const failures = [notIssued, ...storeFailures] as const;
const loginErrors = { 401: "Invalid credentials", ...loginRefused, 500: failures } as const;

const tags = ["Authentication"];

/** The authentication endpoints of the full reference. */
export class AuthController {
  readonly #auth = inject(AuthService);
  readonly #users = inject(UsersService);

  routes() {
    return routes([
      group(
        "/auth",
        [
          { method: "POST", path: "/register", handler: this.register },
          { method: "POST", path: "/login", handler: this.login },
          { method: "POST", path: "/logout", handler: this.logout, middlewares: [SessionOrigin] },
          { method: "GET", path: "/me", handler: this.me, middlewares: [BearerAuth] },
          { method: "POST", path: "/token", handler: this.token },
          { method: "POST", path: "/refresh", handler: this.refresh },
          { method: "POST", path: "/session", handler: this.openSession, middlewares: [SessionOrigin] },
          { method: "GET", path: "/session", handler: this.session, middlewares: [SessionAuth] },
        ],
        { middlewares: [bodyLimit(maxAuthBody), noStore] },
      ),
    ]);
  }

  readonly register = endpoint(
    {
      summary: "Create a user and log in",
      tags,
      body: RegisterDTO,
      returns: { 201: LoginResponse },
      errors: { 409: "Email already registered", ...busy, 500: [notCreated, notIssued] },
    },
    async (ctx, { body }) => {
      const user = await this.#auth.register(body);
      return user === undefined ? ctx.fail(409) : this.#auth.toLoginResponse(user);
    },
  );

  readonly login = endpoint(
    { summary: "Log in, for an access token", tags, body: LoginDTO, returns: LoginResponse, errors: loginErrors },
    async (ctx, { body }) => {
      const user = await this.#auth.login(body, ctx);
      return user === undefined ? ctx.fail(401) : this.#auth.toLoginResponse(user);
    },
  );

  readonly logout = endpoint(
    {
      summary: "End the session of the cookie, and a refresh token",
      tags,
      description: "The refresh token is `refresh_token` of a JSON body. A body that cannot be read is ignored.",
      returns: LoggedOut,
      errors: { 500: StoreFailure },
    },
    async (ctx) => {
      const refreshToken = await readRefreshToken(ctx);
      ctx.setCookie(sessionCookie, "", { maxAge: 0 });
      try {
        await this.#auth.logout(ctx.cookie(sessionCookie), refreshToken);
        return { message: "Logged out" };
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        // reported, because the session is still in the store; returned instead of thrown, so that the cookie is still cleared
        ctx.log.error({ err: error }, "the session could not be ended");
        return ctx.status(500).json({ error: error.message });
      }
    },
  );

  readonly me = endpoint(
    { summary: "The user of the token", tags, returns: User, errors: { 500: storeFailures } },
    async (ctx) => (await this.#users.find(ctx.get("user_id"))) ?? invalidToken(ctx),
  );

  readonly token = endpoint(
    {
      summary: "Log in, for an access token and a refresh token",
      tags,
      body: LoginDTO,
      returns: Tokens,
      errors: loginErrors,
    },
    async (ctx, { body }) => {
      const user = await this.#auth.login(body, ctx);
      return user === undefined ? ctx.fail(401) : this.#auth.issuePair(user);
    },
  );

  readonly refresh = endpoint(
    {
      summary: "New tokens for a refresh token, which is consumed",
      tags,
      body: RefreshDTO,
      returns: Tokens,
      errors: { 401: "invalid refresh token", 500: failures },
    },
    async (ctx, { body }) => (await this.#auth.refresh(body.refresh_token)) ?? ctx.fail(401),
  );

  readonly openSession = endpoint(
    {
      summary: "Log in, for a session cookie",
      tags,
      body: LoginDTO,
      returns: { 201: User },
      errors: { ...loginErrors, 500: storeFailures },
    },
    async (ctx, { body }) => {
      const user = await this.#auth.login(body, ctx);
      if (user === undefined) return ctx.fail(401);
      const id = await this.#auth.openSession(user, ctx.cookie(sessionCookie));
      ctx.setCookie(sessionCookie, id, { maxAge: sessionSeconds });
      return user;
    },
  );

  readonly session = endpoint(
    { summary: "The user of the session", tags, returns: User, errors: { 401: "Invalid session", 500: storeFailures } },
    async (ctx) => (await this.#users.find(ctx.get("user_id"))) ?? ctx.fail(401),
  );
}

/** Read here instead of declared: a body that cannot be read must not keep the session alive. */
async function readRefreshToken(ctx: Context): Promise<string | undefined> {
  try {
    return (await ctx.bind(LogoutDTO)).refresh_token;
  } catch (error) {
    if (error instanceof HttpError) return undefined;
    throw error;
  }
}
