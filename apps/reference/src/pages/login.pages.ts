import { Accounts } from "@tenon/accounts";
import { SessionOrigin, Sessions } from "@tenon/auth";
import { type Context, dto, type HttpError, type Issue, inject, route, string } from "@tenon/core";
import { StoreError } from "@tenon/data";
import { isForm, type Redirect, redirect, wantsJson } from "@tenon/web";
import { busy, loginRefused } from "../auth/auth.errors.ts";
import { AuthService } from "../auth/auth.service.ts";
import type { UserRecord } from "../users/user.ts";
import { foldEmail } from "../users/users.service.ts";
import { checkName, LoginForm, RegisterForm, refuseUntyped } from "./login.form.ts";
import { toPathWithNext } from "./require-login.ts";
import { toShownName, withoutBidiControls } from "./shown-text.ts";

const home = "/my-posts";

/** Where to redirect after a login. */
const NextQuery = dto({ next: string() });

/** Login, registration and logout. An invalid form redirects back to its page, with the input except the password. */
export class LoginPages {
  readonly #auth = inject(AuthService);
  readonly #sessions = inject(Sessions);
  readonly #accounts = inject(Accounts);

  readonly login = route.get(
    "/login",
    { middlewares: [SessionOrigin], summary: "The login form", query: NextQuery },
    (ctx, { query }) => this.#showForm(ctx, query.next),
  );

  readonly register = route.get(
    "/register",
    { middlewares: [SessionOrigin], summary: "The registration form", query: NextQuery },
    (ctx, { query }) => this.#showForm(ctx, query.next),
  );

  readonly openSession = route.post(
    "/login",
    {
      middlewares: [SessionOrigin, refuseUntyped],
      summary: "Log in",
      public: true,
      body: LoginForm,
      errors: { 401: "No account has this e-mail address and password.", ...loginRefused },
    },
    async (ctx, { body }) => {
      const user = await this.#auth.login(body, ctx);
      if (user === undefined) {
        const error = ctx.fail(401);
        return back(ctx, "/login", { path: "", rule: "credentials", message: error.message }, error);
      }
      return this.#enter(ctx, user, `Welcome back, ${inSentence(user)}.`, body.next);
    },
  );

  readonly createUser = route.post(
    "/register",
    {
      middlewares: [SessionOrigin, refuseUntyped],
      summary: "Create an account",
      public: true,
      body: RegisterForm,
      errors: { 409: "Email already registered", ...busy },
    },
    async (ctx, { body }) => {
      checkName(body);
      const user = await this.#auth.register(body, ({ id }, transaction) =>
        this.#accounts.registered(id, { transaction, actor: ctx }),
      );
      if (user === undefined) {
        const issue = { path: "email", rule: "unique", message: "is already registered" };
        return back(ctx, "/register", issue, ctx.fail(409));
      }
      return this.#enter(ctx, user, `Welcome, ${inSentence(user)}. Your account is ready.`, body.next);
    },
  );

  readonly logout = route.post(
    "/logout",
    { middlewares: [SessionOrigin], summary: "Log out", public: true },
    async (ctx) => {
      try {
        await this.#auth.logout(ctx);
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        // returned instead of thrown, so that the cookie is cleared although the session is still in the store
        ctx.log.error({ err: error }, "the session could not be ended");
        return ctx.status(500).json({ error: error.message });
      }
      await ctx.get("session").destroy();
      await ctx.get("session").flash("done", "You are logged out.");
      return redirect("/");
    },
  );

  async #showForm(ctx: Context, next = "") {
    return (await ctx.get("visitor").user()) === undefined ? { next } : redirect(next || home);
  }

  /** Both sessions get a new id at login, so that an id known before is worthless (session fixation). */
  async #enter(ctx: Context, user: UserRecord, message: string, next = ""): Promise<Redirect> {
    await this.#sessions.open(ctx, user.id, { account: foldEmail(user.email) });
    await ctx.get("session").regenerate();
    await ctx.get("session").flash("done", message);
    return redirect(next || home);
  }

  routes() {
    return [this.login, this.openSession, this.register, this.createUser, this.logout];
  }
}

function inSentence({ name }: UserRecord): string {
  return withoutBidiControls(toShownName(name));
}

/** Redirects to the form with its input and the issue. Throws the error for clients that have no form to show again. */
async function back(ctx: Context, path: string, issue: Issue, error: HttpError): Promise<Redirect> {
  if (!isForm(ctx.header("content-type")) || wantsJson(ctx)) throw error;
  const form = await ctx.request().form();
  await ctx.get("session").keepForm(form.toRecord(), [issue]);
  return redirect(toPathWithNext(path, form.get("next")));
}
