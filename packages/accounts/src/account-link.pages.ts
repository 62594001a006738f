import { SessionOrigin } from "@tenon/auth";
import { type Context, dto, inject, route, string } from "@tenon/core";
import { bodyLimit } from "@tenon/core/middleware";
import { redirect, view } from "@tenon/web";
import { noStore, PageLogin } from "./account-guards.ts";
import { EmailDTO, limited, maxAccountBody, ResetDTO, TokenDTO } from "./accounts.dto.ts";
import { type AccountState, Accounts } from "./accounts.ts";
import { AccountSettings } from "./settings.ts";

const accountPages = route.under("/account", {
  middlewares: [bodyLimit(maxAccountBody), noStore, SessionOrigin],
  tags: ["Account"],
});

/** Pages of the user who is logged in. */
export const ownPages = accountPages.under("", { middlewares: [PageLogin] });

const LinkQuery = dto({ token: string("default=", "max=200") });
const { 429: tooMany, 503: busy } = limited;

/**
 * The pages of links in mails, and the form that requests a reset: for everyone, but an address is verified and changed by
 * the user of the account. To open a link changes nothing, because mail scanners do: each page has a button.
 */
export class AccountLinkPages {
  readonly #accounts = inject(Accounts);
  readonly #login = inject(AccountSettings).paths.login;

  readonly reset = accountPages.get("/reset", { summary: "A form for a link to choose a new password" }, () =>
    view("account/reset"),
  );

  readonly requestReset = accountPages.post(
    "/reset",
    {
      summary: "Send a link to choose a new password",
      access: "public",
      body: { form: EmailDTO },
      errors: { 429: tooMany },
    },
    async (ctx, { body }) => {
      await this.#accounts.requestReset(body.email, ctx);
      const text = "If an account has this address, a mail with a link is on its way. The link is valid for one hour.";
      return done(ctx, text, "/account/reset");
    },
  );

  readonly resetLink = accountPages.get(
    "/reset/confirm",
    { summary: "A form for the new password", query: LinkQuery },
    (_, { query }) => showLink("account/reset-confirm", query.token, "/account/reset"),
  );

  readonly confirmReset = accountPages.post(
    "/reset/confirm",
    { summary: "Set a new password", access: "public", body: { form: ResetDTO }, errors: { 503: busy } },
    async (ctx, { body }) => {
      const isReset = await this.#accounts.reset(body.token, body.password, ctx);
      if (!isReset) return invalidLink("/account/reset");
      return done(ctx, "Your password is changed, and all logins have ended. Log in with the new one.", this.#login);
    },
  );

  readonly verificationLink = ownPages.get(
    "/verify",
    { summary: "A button that verifies an e-mail address", query: LinkQuery },
    async (ctx, { query }) =>
      showLink("account/verify", query.token, "/account", await this.#accounts.state(ctx.get("user_id"))),
  );

  readonly verify = ownPages.post(
    "/verify",
    { summary: "Verify an e-mail address", body: { form: TokenDTO } },
    async (ctx, { body }) => {
      const userId = ctx.get("user_id");
      const isVerified = await this.#accounts.verify(body.token, userId, ctx);
      // the second press of the button, too
      return isVerified || (await this.#accounts.isVerified(userId))
        ? done(ctx, "Your e-mail address is verified.", "/account")
        : invalidLink("/account");
    },
  );

  readonly emailLink = ownPages.get(
    "/email/confirm",
    { summary: "A button that changes an e-mail address", query: LinkQuery },
    async (ctx, { query }) =>
      showLink("account/email-confirm", query.token, "/account/email", await this.#accounts.state(ctx.get("user_id"))),
  );

  readonly confirmEmail = ownPages.post(
    "/email/confirm",
    {
      summary: "Change an e-mail address",
      body: { form: TokenDTO },
      errors: { 409: "Another account has this e-mail address." },
    },
    async (ctx, { body }) => {
      const result = await this.#accounts.confirmEmailChange(body.token, ctx.get("user_id"), ctx);
      if (result === "taken") return ctx.fail(409);
      return result === "changed"
        ? done(ctx, "Your e-mail address is changed.", "/account")
        : invalidLink("/account/email");
    },
  );

  routes() {
    return [
      ...[this.reset, this.requestReset, this.resetLink, this.confirmReset],
      ...[this.verificationLink, this.verify, this.emailLink, this.confirmEmail],
    ];
  }
}

/** Redirects to a page that shows the text. */
export async function done(ctx: Context, text: string, path: string) {
  await ctx.get("session").flash("done", text);
  return redirect(path);
}

/** Does not look the token up: a page that does would tell, at no cost, whether a token is valid. */
function showLink(name: string, token: string, again: string, account?: AccountState) {
  return token === "" ? invalidLink(again) : view(name, { token, email: account?.email ?? "" });
}

function invalidLink(again: string) {
  return view("account/invalid-link", { again }, { status: 400 });
}
