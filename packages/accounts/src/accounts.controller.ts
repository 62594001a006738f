import { RecentLogin, Sessions, sessionCookie } from "@tenon/auth";
import { array, inject, nested, route } from "@tenon/core";
import { bodyLimit } from "@tenon/core/middleware";
import { AccountGuard, noStore, OwnSession } from "./account-guards.ts";
import { AccountSecondFactor } from "./account-second-factor.ts";
import { limitedAs } from "./account-users.ts";
import {
  Account,
  AccountSession,
  badToken,
  ChangePasswordDTO,
  CodeDTO,
  ConfirmDTO,
  credentials,
  EmailDTO,
  limited,
  maxAccountBody,
  RecoveryCodes,
  ResetDTO,
  SecondFactorSetup,
  TokenDTO,
} from "./accounts.dto.ts";
import { Accounts } from "./accounts.ts";
import { LoginConfirmation } from "./login-confirmation.ts";
import { toQrSvg } from "./qr-code.ts";

const account = route.under("/account", { middlewares: [bodyLimit(maxAccountBody), noStore], tags: ["Account"] });
const own = account.under("", { middlewares: [AccountGuard] });
const recent = own.under("", { middlewares: [RecentLogin] });
const { 429: tooMany } = limited;

/**
 * The account of a user as JSON: state, verification, password, address, second factor, sessions. The user is the one of
 * the guard or of a token, never one that a body names.
 */
export class AccountsController {
  readonly #accounts = inject(Accounts);
  readonly #secondFactor = inject(AccountSecondFactor);
  readonly #confirmation = new LoginConfirmation();
  readonly #sessions = inject(Sessions);

  readonly show = own.get(
    "",
    { summary: "The account of the user", returns: Account, errors: { 404: "Account not found" } },
    async (ctx) => (await this.#accounts.state(ctx.get("user_id"))) ?? ctx.fail(404),
  );

  readonly delete = recent.delete(
    "",
    { summary: "Delete the account of the user", returns: { 204: null } },
    async (ctx) => {
      await this.#accounts.delete(ctx.get("user_id"), ctx);
      if (ctx.cookie(sessionCookie) !== "") await this.#sessions.close(ctx);
    },
  );

  readonly sendVerification = own.post(
    "/verification",
    {
      summary: "Send the mail with the verification link again",
      returns: { 202: null },
      errors: { 429: tooMany },
    },
    async (ctx) => {
      await this.#accounts.sendVerification(ctx.get("user_id"));
    },
  );

  readonly verify = own.post(
    "/verification/confirm",
    {
      summary: "Verify the e-mail address of the user by the token of the mail",
      body: TokenDTO,
      returns: { 204: null },
      errors: badToken,
    },
    async (ctx, { body }) =>
      (await this.#accounts.verify(body.token, ctx.get("user_id"), ctx)) ? undefined : ctx.fail(400),
  );

  readonly requestReset = account.post(
    "/password-reset",
    {
      summary: "Send a link to choose a new password",
      description: "The response is the same whether or not an account has the address.",
      access: "public",
      body: EmailDTO,
      returns: { 202: null },
      errors: { 429: tooMany },
    },
    async (ctx, { body }) => {
      await this.#accounts.requestReset(body.email, ctx);
    },
  );

  readonly reset = account.post(
    "/password-reset/confirm",
    {
      summary: "Set a new password by the token of the mail; ends all logins",
      access: "public",
      body: ResetDTO,
      returns: { 204: null },
      errors: { ...badToken, 503: limited[503] },
    },
    async (ctx, { body }) => ((await this.#accounts.reset(body.token, body.password, ctx)) ? undefined : ctx.fail(400)),
  );

  // recent, because the session that it opens is: a password without the code of a second factor must not be enough
  readonly changePassword = recent.put(
    "/password",
    {
      summary: "Change the password; ends all other logins",
      body: ChangePasswordDTO,
      returns: { 204: null },
      errors: { ...limited, 401: "Invalid credentials" },
    },
    async (ctx, { body }) => {
      const userId = ctx.get("user_id");
      const hasSession = (await this.#sessions.current(ctx))?.user_id === userId; // not with a bearer token
      const user = await this.#accounts.changePassword(userId, body.password, body.new_password, ctx);
      if (user === undefined) return ctx.fail(401);
      if (hasSession) await this.#sessions.open(ctx, userId, { account: limitedAs(user) });
      return undefined;
    },
  );

  readonly requestEmailChange = recent.post(
    "/email",
    {
      summary: "Send a link to a new e-mail address, which the account gets when the link is used",
      description: "The response is the same whether or not another account has the address.",
      body: EmailDTO,
      returns: { 202: null },
      errors: { 429: tooMany },
    },
    async (ctx, { body }) => {
      await this.#accounts.requestEmailChange(ctx.get("user_id"), body.email, ctx);
    },
  );

  readonly confirmEmailChange = own.post(
    "/email/confirm",
    {
      summary: "Change the e-mail address of the user by the token of the mail",
      body: TokenDTO,
      returns: { 204: null },
      errors: { ...badToken, 409: "Email already registered" },
    },
    async (ctx, { body }) => {
      const result = await this.#accounts.confirmEmailChange(body.token, ctx.get("user_id"), ctx);
      if (result === "invalid") return ctx.fail(400);
      return result === "taken" ? ctx.fail(409) : undefined;
    },
  );

  readonly confirm = own.post(
    "/confirm",
    {
      summary: "Give the password again: the login is recent for 10 minutes",
      body: ConfirmDTO,
      returns: { 204: null },
      errors: credentials,
    },
    async (ctx, { body }) =>
      (await this.#confirmation.confirm(ctx, body)) ? undefined : ctx.fail(401, "Invalid credentials"),
  );

  readonly listSessions = own.get(
    "/sessions",
    { summary: "The sessions of the user, the newest first", returns: array(nested(AccountSession)) },
    async (ctx) => {
      const current = this.#sessions.idOf(ctx.cookie(sessionCookie));
      const sessions = await this.#sessions.list(ctx.get("user_id"));
      return sessions.map((session) => ({ ...session, current: session.id === current }));
    },
  );

  readonly endSession = own.delete(
    "/sessions/:id",
    { middlewares: [OwnSession], summary: "End a session of the user", returns: { 204: null } },
    async (ctx) => {
      await this.#accounts.endSession(ctx.get("user_id"), ctx.param("id"), ctx);
    },
  );

  readonly endOtherSessions = own.delete(
    "/sessions",
    {
      summary: "End all sessions and refresh tokens of the user but the session of this request",
      returns: { 204: null },
    },
    async (ctx) => {
      await this.#accounts.endOtherSessions(ctx.get("user_id"), ctx);
    },
  );

  readonly beginSecondFactor = recent.post(
    "/second-factor",
    {
      summary: "A new secret for an authenticator app, which a code has to confirm",
      returns: SecondFactorSetup,
      errors: { 403: "E-mail address not verified", 409: "Second factor already enabled" },
    },
    async (ctx) => {
      const { secret, uri } = await this.#secondFactor.begin(ctx.get("user_id"));
      return { secret, uri, qr: toQrSvg(uri, "QR code for an authenticator app") };
    },
  );

  readonly confirmSecondFactor = recent.post(
    "/second-factor/confirm",
    {
      summary: "Enable the second factor by a code of the authenticator app; ends all other logins",
      body: CodeDTO,
      returns: RecoveryCodes,
      errors: { 400: "Invalid code", 429: tooMany },
    },
    async (ctx, { body }) => {
      const codes = await this.#secondFactor.confirm(ctx.get("user_id"), body.code, ctx);
      return codes === undefined ? ctx.fail(400) : { recovery_codes: codes };
    },
  );

  readonly disableSecondFactor = recent.delete(
    "/second-factor",
    { summary: "Disable the second factor", returns: { 204: null } },
    async (ctx) => {
      await this.#secondFactor.disable(ctx.get("user_id"), ctx);
    },
  );

  readonly renewRecoveryCodes = recent.post(
    "/second-factor/recovery-codes",
    {
      summary: "New recovery codes, which replace the old ones",
      returns: RecoveryCodes,
      errors: { 409: "Second factor not enabled", 429: tooMany },
    },
    async (ctx) => {
      const codes = await this.#secondFactor.renewRecoveryCodes(ctx.get("user_id"), ctx);
      return codes === undefined ? ctx.fail(409) : { recovery_codes: codes };
    },
  );

  routes() {
    return [
      ...[this.show, this.delete, this.sendVerification, this.verify, this.requestReset, this.reset],
      ...[this.changePassword, this.requestEmailChange, this.confirmEmailChange, this.confirm],
      ...[this.listSessions, this.endSession, this.endOtherSessions],
      ...[this.beginSecondFactor, this.confirmSecondFactor, this.disableSecondFactor, this.renewRecoveryCodes],
    ];
  }
}
