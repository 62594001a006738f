import { Sessions, sessionCookie, sessionSeconds } from "@tenon/auth";
import { BindError, type Context, dto, endpoint, form, inject, routes, string } from "@tenon/core";
import { redirect } from "@tenon/web";
import { LoginDTO, RegisterDTO } from "./users.dto.ts";
import type { User } from "./users.record.ts";
import { UsersService } from "./users.service.ts";

/** The page to show after a login. */
const NextQuery = dto({ next: string("default=/") });
const errors = { 429: "Too Many Requests", 503: "Service Unavailable" } as const;

export class UsersPages {
  readonly #users = inject(UsersService);
  readonly #sessions = inject(Sessions);

  routes() {
    return routes([
      { method: "GET", path: "/register", handler: this.register },
      { method: "POST", path: "/register", handler: this.create },
      { method: "GET", path: "/login", handler: this.login },
      { method: "POST", path: "/login", handler: this.enter },
      { method: "POST", path: "/logout", handler: this.logout },
    ]);
  }

  readonly register = endpoint({ summary: "A form for a new account", query: NextQuery }, (_, { query }) => query);

  readonly create = endpoint(
    {
      summary: "Create an account",
      public: true,
      query: NextQuery,
      body: form(RegisterDTO),
      errors,
    },
    async (ctx, { query, body }) => {
      const user = await this.#users.register(body);
      if (user !== undefined) return this.#open(ctx, user, query.next);
      throw new BindError([{ path: "email", rule: "unique", message: "is registered already" }]);
    },
  );

  readonly login = endpoint({ summary: "The login form", query: NextQuery }, (_, { query }) => query);

  readonly enter = endpoint(
    {
      summary: "Log in",
      public: true,
      query: NextQuery,
      body: form(LoginDTO),
      errors,
    },
    async (ctx, { query, body }) => {
      const user = await this.#users.login(body, ctx);
      if (user !== undefined) return this.#open(ctx, user, query.next);
      throw new BindError([{ path: "password", rule: "credentials", message: "does not match the email" }]);
    },
  );

  readonly logout = endpoint({ summary: "Log out", public: true }, async (ctx) => {
    await this.#sessions.destroy(ctx.cookie(sessionCookie));
    ctx.setCookie(sessionCookie, "", { maxAge: 0 });
    await ctx.get("session").destroy();
    await ctx.get("session").flash("done", "You are logged out.");
    return redirect("/");
  });

  /** Both sessions get a new id, so that an id that was known before the login is worthless (session fixation). */
  async #open(ctx: Context, user: User, next: string) {
    await this.#sessions.destroy(ctx.cookie(sessionCookie));
    ctx.setCookie(sessionCookie, await this.#sessions.create(user.id), { maxAge: sessionSeconds });
    await ctx.get("session").regenerate();
    await ctx.get("session").flash("done", "You are logged in.");
    return redirect(next);
  }
}
