import { BearerAuth, invalidToken, SessionAuth, SessionOrigin, sessionCookie, sessionSeconds } from "@tenon/auth";
import { type Context, group, HttpError, inject, routes } from "@tenon/core";
import { bodyLimit } from "@tenon/core/middleware";
import { StoreError } from "@tenon/data";
import { toUser } from "../users/user.ts";
import { UsersService } from "../users/users.service.ts";
import { LoginDTO, LogoutDTO, maxAuthBody, RefreshDTO, RegisterDTO } from "./auth.dto.ts";
import { AuthService } from "./auth.service.ts";
import { noStore } from "./no-store.ts";

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

  async register(ctx: Context) {
    const user = await this.#auth.register(await ctx.bind(RegisterDTO));
    if (user === undefined) return ctx.status(409).json({ error: "Email already registered" });
    return ctx.status(201).json(await this.#auth.toLoginResponse(user));
  }

  async login(ctx: Context) {
    const user = await this.#auth.login(await ctx.bind(LoginDTO), ctx);
    return user === undefined ? invalidCredentials(ctx) : this.#auth.toLoginResponse(user);
  }

  async logout(ctx: Context) {
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
  }

  async me(ctx: Context) {
    const user = await this.#users.find(ctx.get("user_id"));
    return user === undefined ? invalidToken(ctx) : toUser(user);
  }

  async token(ctx: Context) {
    const user = await this.#auth.login(await ctx.bind(LoginDTO), ctx);
    return user === undefined ? invalidCredentials(ctx) : this.#auth.issuePair(user);
  }

  async refresh(ctx: Context) {
    const { refresh_token } = await ctx.bind(RefreshDTO);
    return (await this.#auth.refresh(refresh_token)) ?? ctx.status(401).json({ error: "invalid refresh token" });
  }

  async openSession(ctx: Context) {
    const user = await this.#auth.login(await ctx.bind(LoginDTO), ctx);
    if (user === undefined) return invalidCredentials(ctx);
    const id = await this.#auth.openSession(user, ctx.cookie(sessionCookie));
    ctx.setCookie(sessionCookie, id, { maxAge: sessionSeconds });
    return ctx.status(201).json(toUser(user));
  }

  async session(ctx: Context) {
    const user = await this.#users.find(ctx.get("user_id"));
    return user === undefined ? ctx.status(401).json({ error: "Invalid session" }) : toUser(user);
  }
}

function invalidCredentials(ctx: Context) {
  return ctx.status(401).json({ error: "Invalid credentials" });
}

/** The body of a logout is optional: an unreadable one must not keep the session alive. */
async function readRefreshToken(ctx: Context): Promise<string | undefined> {
  try {
    return (await ctx.bind(LogoutDTO)).refresh_token;
  } catch (error) {
    if (error instanceof HttpError) return undefined;
    throw error;
  }
}
