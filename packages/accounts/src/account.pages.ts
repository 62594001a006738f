import { ApiKeys, RecentLogins, SecondFactorRequired, Sessions, sessionCookie } from "@tenon/auth";
import { BindError, type Context, dto, HttpError, inject, string } from "@tenon/core";
import { redirect, view } from "@tenon/web";
import { OwnApiKey, OwnSession, RecentPageLogin } from "./account-guards.ts";
import { AccountLinkPages, done, ownPages as own } from "./account-link.pages.ts";
import { AccountSecondFactor } from "./account-second-factor.ts";
import { limitedAs } from "./account-users.ts";
import { ChangePasswordDTO, CodeDTO, ConfirmDTO, EmailDTO, limited } from "./accounts.dto.ts";
import { type AccountState, Accounts } from "./accounts.ts";
import { describeClient } from "./describe-client.ts";
import { LoginConfirmation } from "./login-confirmation.ts";
import { inGroupsOfFour, toQrSvg } from "./qr-code.ts";

const recent = own.under("", { middlewares: [RecentPageLogin] });

const home = "/account";
const factorPath = "/account/second-factor";
/** `redirect()` itself accepts only paths of this site. */
const NextQuery = dto({ next: string("default=/account", "max=2000") });
const ConfirmForm = dto({ ...ConfirmDTO.fields, ...NextQuery.fields });
const { 429: tooMany } = limited;

/** The pages of an account, in the views `account/*` of the application. They need `WebSessions` and no script. */
export class AccountPages extends AccountLinkPages {
  readonly #accounts = inject(Accounts);
  readonly #secondFactor = inject(AccountSecondFactor);
  readonly #confirmation = new LoginConfirmation();
  readonly #recent = inject(RecentLogins);
  readonly #sessions = inject(Sessions);
  readonly #apiKeys = inject(ApiKeys);

  readonly overview = own.get("", { summary: "The account of the user" }, async (ctx) => {
    const { length } = await this.#apiKeys.list(ctx.get("user_id"));
    return view("account/overview", { ...(await this.#stateOf(ctx)), api_keys: length });
  });

  readonly sendVerification = own.post(
    "/verification",
    { summary: "Send the mail with the verification link again", errors: { 429: tooMany } },
    async (ctx) => {
      await this.#accounts.sendVerification(ctx.get("user_id"));
      return done(ctx, "A mail with a link is on its way.", home);
    },
  );

  readonly confirmForm = own.get(
    "/confirm",
    { summary: "A form that asks for the password again", query: NextQuery },
    async (ctx, { query }) => {
      if (await this.#recent.isRecent(ctx)) return redirect(query.next);
      const { email, second_factor } = await this.#stateOf(ctx);
      return view("account/confirm", { next: query.next, email, second_factor });
    },
  );

  readonly confirm = own.post(
    "/confirm",
    {
      summary: "Give the password again: the login is recent for 10 minutes",
      body: { form: ConfirmForm },
      errors: limited,
    },
    async (ctx, { body }) => {
      if (await this.#isConfirmed(ctx, body)) return redirect(body.next);
      throw invalid("password", "does not match, or the code is wrong");
    },
  );

  readonly passwordForm = recent.get("/password", { summary: "A form for another password" }, async (ctx) =>
    view("account/password", { email: (await this.#stateOf(ctx)).email }),
  );

  // recent, because the session that it opens is: a password without the code of a second factor must not be enough
  readonly changePassword = recent.post(
    "/password",
    { summary: "Change the password; ends all other logins", body: { form: ChangePasswordDTO }, errors: limited },
    async (ctx, { body }) => {
      const user = await this.#accounts.changePassword(ctx.get("user_id"), body.password, body.new_password, ctx);
      if (user === undefined) throw invalid("password", "is wrong");
      await this.#sessions.open(ctx, user.id, { account: limitedAs(user) });
      return done(ctx, "Your password is changed, and all other logins have ended.", home);
    },
  );

  readonly emailForm = recent.get("/email", { summary: "A form for another e-mail address" }, async (ctx) =>
    view("account/email", { email: (await this.#stateOf(ctx)).email }),
  );

  readonly requestEmailChange = recent.post(
    "/email",
    { summary: "Send a link to a new e-mail address", body: { form: EmailDTO }, errors: { 429: tooMany } },
    async (ctx, { body }) => {
      await this.#accounts.requestEmailChange(ctx.get("user_id"), body.email, ctx);
      return done(ctx, "A mail with a link is on its way to the new address. The link is valid for one hour.", home);
    },
  );

  readonly listSessions = own.get("/sessions", { summary: "The sessions of the user" }, async (ctx) => {
    const current = this.#sessions.idOf(ctx.cookie(sessionCookie));
    const sessions = await this.#sessions.list(ctx.get("user_id"));
    const shown = sessions.map((session) => ({
      ...session,
      device: describeClient(session.client),
      current: session.id === current,
    }));
    return view("account/sessions", { sessions: shown.sort((a, b) => Number(b.current) - Number(a.current)) });
  });

  readonly endSession = own.delete(
    "/sessions/:id",
    { middlewares: [OwnSession], summary: "End a session of the user" },
    async (ctx) => {
      await this.#accounts.endSession(ctx.get("user_id"), ctx.param("id"), ctx);
      return done(ctx, "The session has ended.", "/account/sessions");
    },
  );

  readonly endOtherSessions = own.delete("/sessions", { summary: "End all other logins of the user" }, async (ctx) => {
    await this.#accounts.endOtherSessions(ctx.get("user_id"), ctx);
    return done(ctx, "All other logins have ended.", "/account/sessions");
  });

  readonly listApiKeys = own.get("/api-keys", { summary: "The API keys of the user" }, async (ctx) =>
    view("account/api-keys", { keys: await this.#apiKeys.list(ctx.get("user_id")) }),
  );

  readonly revokeApiKey = own.delete(
    "/api-keys/:id",
    { middlewares: [OwnApiKey], summary: "Revoke an API key of the user" },
    async (ctx) => {
      await this.#apiKeys.revoke(ctx.get("user_id"), ctx.param("id"), ctx);
      return done(ctx, "The API key is revoked.", "/account/api-keys");
    },
  );

  readonly deleteForm = recent.get("/delete", { summary: "A button that deletes the account" }, async (ctx) =>
    view("account/delete", { email: (await this.#stateOf(ctx)).email }),
  );

  readonly delete = recent.delete("", { summary: "Delete the account of the user" }, async (ctx) => {
    await this.#accounts.delete(ctx.get("user_id"), ctx);
    await this.#sessions.close(ctx);
    await ctx.get("session").destroy();
    return done(ctx, "Your account is deleted.", "/");
  });

  readonly secondFactor = recent.get("/second-factor", { summary: "The second factor of the user" }, async (ctx) => {
    const { second_factor, verified, recovery_codes_left } = await this.#stateOf(ctx);
    return view("account/second-factor", { enabled: second_factor, verified, recovery_codes_left });
  });

  readonly beginSecondFactor = recent.post(
    "/second-factor",
    {
      summary: "Make a secret for an authenticator app",
      errors: { 403: "E-mail address not verified", 409: "Second factor already enabled" },
    },
    async (ctx) => {
      await this.#secondFactor.begin(ctx.get("user_id"));
      return redirect(`${factorPath}/setup`);
    },
  );

  readonly setUpSecondFactor = recent.get(
    "/second-factor/setup",
    { summary: "The secret as a QR code, and a form for the first code" },
    async (ctx) => {
      const pending = await this.#secondFactor.pending(ctx.get("user_id"));
      if (pending === undefined) return redirect(factorPath);
      const { secret, uri } = pending;
      const qr = toQrSvg(uri, "QR code for an authenticator app");
      return view("account/second-factor-setup", { qr, secret: inGroupsOfFour(secret), uri });
    },
  );

  readonly confirmSecondFactor = recent.post(
    "/second-factor/confirm",
    {
      summary: "Enable the second factor by a code; shows the recovery codes",
      body: { form: CodeDTO },
      errors: { 429: tooMany },
    },
    async (ctx, { body }) => {
      const codes = await this.#secondFactor.confirm(ctx.get("user_id"), body.code, ctx);
      if (codes === undefined) throw invalid("code", "is wrong or too old");
      return view("account/recovery-codes", { codes });
    },
  );

  readonly renewRecoveryCodes = recent.post(
    "/second-factor/recovery-codes",
    { summary: "New recovery codes, which replace the old ones", errors: { 429: tooMany } },
    async (ctx) => {
      const codes = await this.#secondFactor.renewRecoveryCodes(ctx.get("user_id"), ctx);
      return codes === undefined ? redirect(factorPath) : view("account/recovery-codes", { codes });
    },
  );

  readonly disableSecondFactor = recent.delete(
    "/second-factor",
    { summary: "Disable the second factor" },
    async (ctx) => {
      await this.#secondFactor.disable(ctx.get("user_id"), ctx);
      return done(ctx, "The second factor is disabled.", factorPath);
    },
  );

  override routes() {
    return [
      ...super.routes(),
      ...[this.overview, this.sendVerification, this.confirmForm, this.confirm],
      ...[this.passwordForm, this.changePassword, this.emailForm, this.requestEmailChange],
      ...[this.listSessions, this.endSession, this.endOtherSessions, this.listApiKeys, this.revokeApiKey],
      ...[this.deleteForm, this.delete],
      ...[this.secondFactor, this.beginSecondFactor, this.setUpSecondFactor, this.confirmSecondFactor],
      ...[this.renewRecoveryCodes, this.disableSecondFactor],
    ];
  }

  /** A user who is deleted by other means may still have a session. */
  async #stateOf(ctx: Context): Promise<AccountState> {
    const state = await this.#accounts.state(ctx.get("user_id"));
    if (state === undefined) throw new HttpError(401, "Not authenticated");
    return state;
  }

  async #isConfirmed(ctx: Context, input: { readonly password: string; readonly code?: string }): Promise<boolean> {
    try {
      return await this.#confirmation.confirm(ctx, input);
    } catch (error) {
      if (error instanceof SecondFactorRequired) throw invalid("code", "is required");
      throw error;
    }
  }
}

/** Redirects back to the form, which shows it. */
function invalid(path: string, message: string): BindError {
  return new BindError([{ path, rule: "valid", message }]);
}
