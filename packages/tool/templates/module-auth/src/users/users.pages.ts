import { {%= accounts ? "SecondFactor, SecondFactorRequired, " : "" %}SessionOrigin, Sessions } from "@tenon/auth";
import { BindError, type Context, dto, inject, route, string } from "@tenon/core";
import { redirect } from "@tenon/web";
import { LoginDTO, RegisterDTO, type StoredUser } from "./users.dto.ts";
import { UsersService } from "./users.service.ts";

/** The page to show after a login. */
const NextQuery = dto({ next: string("default=/") });
{% if (accounts) { -%}
const CodeDTO = dto({ code: string("required", "max=30") });
/** Where the session keeps a login that waits for its code. */
const stepKey = "login_step";
{% } -%}
const errors = { 429: "Too Many Requests", 503: "Service Unavailable" } as const;

export class UsersPages {
  readonly #users = inject(UsersService);
  readonly #sessions = inject(Sessions);
{% if (accounts) { -%}
  readonly #factor = inject(SecondFactor);
{% } -%}

  readonly register = route.get(
    "/register",
    { summary: "A form for a new account", access: "public", query: NextQuery },
    (_, { query }) => query,
  );

  readonly create = route.post(
    "/register",
    {
      middlewares: [SessionOrigin],
      summary: "Create an account",
      access: "public",
      query: NextQuery,
      body: { form: RegisterDTO },
      errors,
    },
    async (ctx, { query, body }) => {
      const user = await this.#users.register(body, ctx);
      if (user === undefined) {
        throw new BindError([{ path: "email", rule: "unique", message: "is registered already" }]);
      }
{% if (accounts) { -%}
      const text = `You are logged in. A mail is on its way to ${user.email}: its link verifies the address.`;
      return this.#open(ctx, user, query.next, text);
{% } else { -%}
      return this.#open(ctx, user, query.next);
{% } -%}
    },
  );

  readonly login = route.get("/login", { summary: "The login form", access: "public", query: NextQuery }, (_, { query }) => query);

  readonly enter = route.post(
    "/login",
    {
      middlewares: [SessionOrigin],
      summary: "Log in",
      access: "public",
      query: NextQuery,
      body: { form: LoginDTO },
      errors,
    },
    async (ctx, { query, body }) => {
{% if (accounts) { -%}
      const user = await this.#users.login(body, ctx).catch((error: unknown) => this.#suspend(ctx, error));
      if (user === "suspended") return redirect(`/login/code?next=${encodeURIComponent(query.next)}`);
{% } else { -%}
      const user = await this.#users.login(body, ctx);
{% } -%}
      if (user !== undefined) return this.#open(ctx, user, query.next);
      throw new BindError([{ path: "password", rule: "credentials", message: "does not match the e-mail address" }]);
    },
  );
{% if (accounts) { -%}

  readonly code = route.get(
    "/login/code",
    { summary: "The form for the code of a second factor", access: "public", query: NextQuery },
    async (ctx, { query }) => {
      const step = (await ctx.get("session").get<string>(stepKey)) ?? "";
      return (await this.#factor.isSuspended(step)) ? query : redirect(`/login?next=${encodeURIComponent(query.next)}`);
    },
  );

  readonly enterCode = route.post(
    "/login/code",
    {
      middlewares: [SessionOrigin],
      summary: "Log in with the code of a second factor",
      access: "public",
      query: NextQuery,
      body: { form: CodeDTO },
      errors,
    },
    async (ctx, { query, body }) => {
      const step = (await ctx.get("session").get<string>(stepKey)) ?? "";
      const id = await this.#factor.resume(step, body.code, ctx);
      const user = id === undefined ? undefined : await this.#users.find(id);
      if (user !== undefined) return this.#open(ctx, user, query.next);
      if (await this.#factor.isSuspended(step)) {
        throw new BindError([{ path: "code", rule: "credentials", message: "is wrong, or was used before: wait for the next one" }]);
      }
      await ctx.get("session").flash("problem", "That took too long. Log in again.");
      return redirect(`/login?next=${encodeURIComponent(query.next)}`);
    },
  );
{% } -%}

  readonly logout = route.post(
    "/logout",
    { middlewares: [SessionOrigin], summary: "Log out", access: "public" },
    async (ctx) => {
      await this.#sessions.close(ctx);
      await ctx.get("session").destroy();
      await ctx.get("session").flash("done", "You are logged out.");
      return redirect("/");
    },
  );

{% if (accounts) { -%}
  /**
   * Keeps a login whose password was right until the code is given, in a session with a new id: one that was known before
   * must not lead to the second step. Other errors are thrown again.
   */
  async #suspend(ctx: Context, error: unknown): Promise<"suspended"> {
    if (!(error instanceof SecondFactorRequired)) throw error;
    await ctx.get("session").regenerate();
    await ctx.get("session").set(stepKey, await this.#factor.suspend(error.userId, ctx));
    return "suspended";
  }

{% } -%}
  /** Both sessions get a new id, so that an id that was known before the login is worthless (session fixation). */
  async #open(ctx: Context, user: StoredUser, next: string{%= accounts ? ', text = "You are logged in."' : "" %}) {
    await this.#sessions.open(ctx, user.id, { account: user.email });
    await ctx.get("session").regenerate();
{% if (accounts) { -%}
    await ctx.get("session").delete(stepKey);
{% } -%}
    await ctx.get("session").flash("done", {%= accounts ? "text" : '"You are logged in."' %});
    return redirect(next);
  }

  routes() {
    return [this.register, this.create, this.login, this.enter, {%= accounts ? "this.code, this.enterCode, " : "" %}this.logout];
  }
}
