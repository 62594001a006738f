import { SessionOrigin, Sessions } from "@tenon/auth";
import { BindError, type Context, dto, inject, route, string } from "@tenon/core";
import { redirect } from "@tenon/web";
import { LoginDTO, RegisterDTO, type StoredUser } from "./users.dto.ts";
import { UsersService } from "./users.service.ts";

/** The page to show after a login. */
const NextQuery = dto({ next: string("default=/") });
const errors = { 429: "Too Many Requests", 503: "Service Unavailable" } as const;

export class UsersPages {
  readonly #users = inject(UsersService);
  readonly #sessions = inject(Sessions);

  readonly register = route.get(
    "/register",
    { summary: "A form for a new account", query: NextQuery },
    (_, { query }) => query,
  );

  readonly create = route.post(
    "/register",
    {
      middlewares: [SessionOrigin],
      summary: "Create an account",
      public: true,
      query: NextQuery,
      body: { form: RegisterDTO },
      errors,
    },
    async (ctx, { query, body }) => {
      const user = await this.#users.register(body);
      if (user !== undefined) return this.#open(ctx, user, query.next);
      throw new BindError([{ path: "email", rule: "unique", message: "is registered already" }]);
    },
  );

  readonly login = route.get("/login", { summary: "The login form", query: NextQuery }, (_, { query }) => query);

  readonly enter = route.post(
    "/login",
    {
      middlewares: [SessionOrigin],
      summary: "Log in",
      public: true,
      query: NextQuery,
      body: { form: LoginDTO },
      errors,
    },
    async (ctx, { query, body }) => {
      const user = await this.#users.login(body, ctx);
      if (user !== undefined) return this.#open(ctx, user, query.next);
      throw new BindError([{ path: "password", rule: "credentials", message: "does not match the email" }]);
    },
  );

  readonly logout = route.post(
    "/logout",
    { middlewares: [SessionOrigin], summary: "Log out", public: true },
    async (ctx) => {
      await this.#sessions.close(ctx);
      await ctx.get("session").destroy();
      await ctx.get("session").flash("done", "You are logged out.");
      return redirect("/");
    },
  );

  /** Both sessions get a new id, so that an id that was known before the login is worthless (session fixation). */
  async #open(ctx: Context, user: StoredUser, next: string) {
    await this.#sessions.open(ctx, user.id, { account: user.email });
    await ctx.get("session").regenerate();
    await ctx.get("session").flash("done", "You are logged in.");
    return redirect(next);
  }

  routes() {
    return [this.register, this.create, this.login, this.enter, this.logout];
  }
}
