import { Accounts } from "@tenon/accounts";
import { SecondFactor, SecondFactorRequired, SessionOrigin, Sessions } from "@tenon/auth";
import { type Context, dto, type Issue, inject, route, string } from "@tenon/core";
import { StoreError } from "@tenon/data";
import { isForm, type Redirect, redirect, wantsJson } from "@tenon/web";
import { codeRequired, loginRefused } from "../auth/auth.errors.ts";
import { AuthService } from "../auth/auth.service.ts";
import type { UserRecord } from "../users/user.ts";
import { foldEmail, UsersService } from "../users/users.service.ts";
import { CodeForm, checkName, LoginForm, RegisterForm, refuseUntyped } from "./login.form.ts";
import { toPathWithNext } from "./require-login.ts";
import { toShownName, withoutBidiControls } from "./shown-text.ts";

const home = "/my-posts";
const wrongCredentials = "No account has this e-mail address and password.";
const wrongCode = "This code is wrong or was used before.";
/** Where the session keeps a login that waits for its code. */
const waiting = "waiting_login";

interface WaitingLogin {
  readonly id: string;
  readonly next: string;
}

/** Where to redirect after a login. */
const NextQuery = dto({ next: string() });

/** Login, registration and logout. An invalid form redirects back to its page, with the input except the password. */
export class LoginPages {
  readonly #auth = inject(AuthService);
  readonly #users = inject(UsersService);
  readonly #factor = inject(SecondFactor);
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
      access: "public",
      body: LoginForm,
      errors: { 401: [wrongCredentials, codeRequired], ...loginRefused },
    },
    async (ctx, { body }) => {
      let user: UserRecord | undefined;
      try {
        user = await this.#auth.login(body, ctx);
      } catch (error) {
        if (error instanceof SecondFactorRequired && showsForms(ctx)) return this.#wait(ctx, error.userId, body.next);
        throw error;
      }
      if (user === undefined) {
        if (!showsForms(ctx)) return ctx.fail(401, wrongCredentials);
        return back(ctx, "/login", { path: "", rule: "credentials", message: wrongCredentials });
      }
      return this.#enter(ctx, user, `Welcome back, ${inSentence(user)}.`, body.next);
    },
  );

  readonly code = route.get(
    "/login/code",
    { middlewares: [SessionOrigin], summary: "The form for the code of a second factor" },
    async (ctx) => {
      if ((await this.#findWaiting(ctx)) !== undefined) return {};
      return (await ctx.get("visitor").user()) === undefined ? startAgain(ctx) : redirect(home); // the back button
    },
  );

  readonly enterCode = route.post(
    "/login/code",
    {
      middlewares: [SessionOrigin, refuseUntyped],
      summary: "Log in with the code of a second factor",
      access: "public",
      body: CodeForm,
      errors: { 401: wrongCode, 429: "Too Many Requests" },
    },
    async (ctx, { body }) => {
      const login = await this.#findWaiting(ctx);
      if (login === undefined) return startAgain(ctx);
      const userId = await this.#factor.resume(login.id, body.code, ctx);
      const user = userId === undefined ? undefined : await this.#users.find(userId);
      if (user !== undefined) return this.#enter(ctx, user, `Welcome back, ${inSentence(user)}.`, login.next);
      if (!(await this.#factor.isSuspended(login.id))) return startAgain(ctx);
      if (!showsForms(ctx)) return ctx.fail(401);
      return back(ctx, "/login/code", { path: "", rule: "code", message: wrongCode });
    },
  );

  readonly createUser = route.post(
    "/register",
    {
      middlewares: [SessionOrigin, refuseUntyped],
      summary: "Create an account",
      access: "public",
      body: RegisterForm,
      errors: { 409: "Email already registered", ...loginRefused },
    },
    async (ctx, { body }) => {
      checkName(body);
      const user = await this.#auth.register(body, ctx, ({ id }, transaction) =>
        this.#accounts.registered(id, { transaction, actor: ctx }),
      );
      if (user === undefined) {
        if (!showsForms(ctx)) return ctx.fail(409);
        return back(ctx, "/register", { path: "email", rule: "unique", message: "is already registered" });
      }
      return this.#enter(ctx, user, `Welcome, ${inSentence(user)}. Your account is ready.`, body.next);
    },
  );

  readonly logout = route.post(
    "/logout",
    { middlewares: [SessionOrigin], summary: "Log out", access: "public" },
    async (ctx) => {
      try {
        await this.#auth.logout(ctx);
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        // returned instead of thrown, so that the cookie is cleared although the session is still in the store
        ctx.log.error({ err: error }, "the session could not be ended");
        return { error: error.message, status: 500 };
      }
      await ctx.get("session").destroy();
      await ctx.get("session").flash("done", "You are logged out.");
      return redirect("/");
    },
  );

  async #showForm(ctx: Context, next = "") {
    return (await ctx.get("visitor").user()) === undefined ? { next } : redirect(next || home);
  }

  /** The password was right. The session gets a new id, so that an id known before does not lead to the second step. */
  async #wait(ctx: Context, userId: string, next = ""): Promise<Redirect> {
    const login: WaitingLogin = { id: await this.#factor.suspend(userId, ctx), next };
    await ctx.get("session").regenerate();
    await ctx.get("session").set(waiting, login);
    return redirect("/login/code");
  }

  async #findWaiting(ctx: Context): Promise<WaitingLogin | undefined> {
    const login = await ctx.get("session").get<WaitingLogin>(waiting);
    return login !== undefined && (await this.#factor.isSuspended(login.id)) ? login : undefined;
  }

  /** Both sessions get a new id at login, so that an id known before is worthless (session fixation). */
  async #enter(ctx: Context, user: UserRecord, message: string, next = ""): Promise<Redirect> {
    await this.#sessions.open(ctx, user.id, { account: foldEmail(user.email) });
    await ctx.get("session").regenerate();
    await ctx.get("session").delete(waiting);
    await ctx.get("session").flash("done", message);
    return redirect(next || home);
  }

  routes() {
    return [this.login, this.openSession, this.code, this.enterCode, this.register, this.createUser, this.logout];
  }
}

function inSentence({ name }: UserRecord): string {
  return withoutBidiControls(toShownName(name));
}

/** Other clients get the error itself. */
function showsForms(ctx: Context): boolean {
  return isForm(ctx.header("content-type")) && !wantsJson(ctx);
}

async function startAgain(ctx: Context): Promise<Redirect> {
  await ctx.get("session").flash("done", "The login has expired. Log in again.");
  return redirect("/login");
}

/** Redirects to the form with its input and the issue. */
async function back(ctx: Context, path: string, issue: Issue): Promise<Redirect> {
  const form = await ctx.request().form();
  await ctx.get("session").keepForm(form.toRecord(), [issue]);
  return redirect(toPathWithNext(path, form.get("next")));
}
