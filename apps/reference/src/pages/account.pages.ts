import { sessionCookie, sessionSeconds } from "@tenon/auth";
import { type Context, group, HttpError, type Issue, inject, routes } from "@tenon/core";
import { StoreError } from "@tenon/data";
import { isForm, type Redirect, redirect, wantsJson } from "@tenon/web";
import { AuthService } from "../auth/auth.service.ts";
import { noStore } from "../auth/no-store.ts";
import type { UserRecord } from "../users/user.ts";
import { readLogin, readRegistration } from "./account.form.ts";
import { toPathWithNext } from "./require-login.ts";
import { toShownName, withoutBidiControls } from "./shown-text.ts";

const home = "/my-posts";

/** Login, registration and logout. An invalid form redirects back to its page, with the input except the password. */
export class AccountPages {
  readonly #auth = inject(AuthService);

  routes() {
    return routes([
      group(
        "/",
        [
          { method: "GET", path: "/login", handler: this.login },
          { method: "POST", path: "/login", handler: this.openSession },
          { method: "GET", path: "/register", handler: this.register },
          { method: "POST", path: "/register", handler: this.createUser },
          { method: "POST", path: "/logout", handler: this.logout },
        ],
        { middlewares: [noStore] },
      ),
    ]);
  }

  login(ctx: Context) {
    return this.#showForm(ctx);
  }

  register(ctx: Context) {
    return this.#showForm(ctx);
  }

  async openSession(ctx: Context) {
    const input = await readLogin(ctx);
    const user = await this.#auth.login(input, ctx);
    if (user === undefined) {
      const message = "No account has this e-mail address and password.";
      return back(ctx, "/login", { path: "", rule: "credentials", message }, new HttpError(401, message));
    }
    return this.#enter(ctx, user, `Welcome back, ${inSentence(user)}.`, input.next);
  }

  async createUser(ctx: Context) {
    const input = await readRegistration(ctx);
    const user = await this.#auth.register(input);
    if (user === undefined) {
      const issue = { path: "email", rule: "unique", message: "is already registered" };
      return back(ctx, "/register", issue, new HttpError(409, "Email already registered"));
    }
    return this.#enter(ctx, user, `Welcome, ${inSentence(user)}. Your account is ready.`, input.next);
  }

  async logout(ctx: Context) {
    ctx.setCookie(sessionCookie, "", { maxAge: 0 });
    try {
      await this.#auth.logout(ctx.cookie(sessionCookie), undefined);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      // returned instead of thrown, so that the cookie is cleared although the session is still in the store
      ctx.log.error({ err: error }, "the session could not be ended");
      return ctx.status(500).json({ error: error.message });
    }
    await ctx.get("session").destroy();
    await ctx.get("session").flash("done", "You are logged out.");
    return redirect("/");
  }

  async #showForm(ctx: Context) {
    const next = ctx.query("next");
    return (await ctx.get("visitor").user()) === undefined ? { next } : redirect(next || home);
  }

  /** Both sessions get a new id at login, so that an id known before is worthless (session fixation). */
  async #enter(ctx: Context, user: UserRecord, message: string, next = ""): Promise<Redirect> {
    const before = ctx.cookie(sessionCookie);
    if (before !== "") await this.#auth.logout(before, undefined);
    ctx.setCookie(sessionCookie, await this.#auth.openSession(user), { maxAge: sessionSeconds });
    await ctx.get("session").regenerate();
    await ctx.get("session").flash("done", message);
    return redirect(next || home);
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
