import { Logins } from "@tenon/auth";
import { type Context, inject } from "@tenon/core";
import { mail } from "@tenon/mail";
import { AccountLimits } from "./account-limits.ts";
import { AccountStates } from "./account-states.ts";
import { AccountTokens, requestBoundOf, tokenSeconds } from "./account-tokens.ts";
import { AccountUsers } from "./account-users.ts";
import { ConfirmEmail, type NoticedEvent, ResetPassword, SecurityNotice, VerifyEmail } from "./mails.ts";
import { AccountSettings } from "./settings.ts";

/**
 * Composes the mails of accounts when they are sent. A token is made only then, so that no job contains one. No mail has
 * the name of a user: it would let a stranger write to the owner of an address by registering it.
 */
export class AccountMails {
  readonly #settings = inject(AccountSettings);
  readonly #users = inject(AccountUsers);
  readonly #tokens = inject(AccountTokens);
  readonly #states = inject(AccountStates);
  readonly #logins = inject(Logins);
  readonly #limits = inject(AccountLimits);

  async verification(ctx: Context, { user_id }: { readonly user_id: string }) {
    const user = await this.#users.find(user_id);
    if (user === undefined || (await this.#states.isVerified(user))) return undefined;
    if (!(await this.#limits.mayReceive(user.email, ctx))) return undefined;
    const token = await this.#tokens.create("verification", user);
    const link = this.#settings.linkTo("verification", token);
    return { to: toAddress(user.email), data: { ...this.#site, link, hours: tokenSeconds.verification / 3600 } };
  }

  /** To the address in the database, never to the one that was typed: they may differ in letters that look alike. */
  async reset(_: Context, { email }: { readonly email: string }) {
    const user = await this.#users.findByEmail(email);
    if (user === undefined) return undefined;
    const link = this.#settings.linkTo("reset", await this.#tokens.create("reset", user));
    return { to: toAddress(user.email), data: { ...this.#site, link, minutes: tokenSeconds.reset / 60 } };
  }

  async emailChange(_: Context, { user_id, email, bound }: (typeof ConfirmEmail)["input"]["output"]) {
    const user = await this.#users.find(user_id);
    if (user === undefined) return undefined;
    const token = await this.#tokens.create("email change", user, email);
    // compared after the token is stored: the end of all logins either finds and deletes it, or has changed `bound`
    if (requestBoundOf(user, await this.#logins.stampOf(user_id)) !== bound) return undefined;
    const link = this.#settings.linkTo("emailChange", token);
    return { to: toAddress(email), data: { ...this.#site, link, minutes: tokenSeconds["email change"] / 60, email } };
  }

  async notice(ctx: Context, { user_id, event, at, address, verified }: (typeof SecurityNotice)["input"]["output"]) {
    const to = address ?? (await this.#users.find(user_id))?.email;
    if (to === undefined || !(verified || (await this.#limits.mayReceive(to, ctx)))) return undefined;
    const { message, canReset = true, first = "" } = texts[event];
    const advice = canReset
      ? `If this was not you, ${first}reset your password now:`
      : `If this was not you, write to the people who run ${this.#settings.name}.`;
    const link = canReset ? { link: this.#settings.linkTo("forgot") } : {};
    return { to: toAddress(to), data: { ...this.#site, message, advice, ...link, time: toShownTime(at) } };
  }

  get #site(): { readonly site: string } {
    return { site: this.#settings.name };
  }

  routes() {
    return [
      mail(VerifyEmail, this.verification),
      mail(ResetPassword, this.reset),
      mail(ConfirmEmail, this.emailChange),
      mail(SecurityNotice, this.notice),
    ];
  }
}

interface NoticeText {
  readonly message: string;
  /** Defaults to true. */
  readonly canReset?: boolean;
  /** What to do before a reset, which does not undo it. Defaults to nothing. */
  readonly first?: string;
}

const texts: Readonly<Record<NoticedEvent, NoticeText>> = {
  "password reset": { message: "The password of your account was reset." },
  "password changed": { message: "The password of your account was changed." },
  "address change requested": { message: "A change of the e-mail address of your account was requested." },
  "address changed": { message: "The e-mail address of your account was changed to another one.", canReset: false },
  "second factor enabled": { message: "A second factor was added to your account." },
  "second factor disabled": { message: "The second factor of your account was removed." },
  "recovery codes renewed": { message: "New recovery codes were made for your account. The old ones are not valid." },
  "recovery code used": { message: "A recovery code of your account was used." },
  "wrong codes": { message: "Five wrong codes of your second factor were entered, each with your password." },
  "api key created": { message: "An API key was created for your account.", first: "revoke the key and " },
  "api key revoked": { message: "An API key of your account was revoked." },
  "account deleted": { message: "Your account was deleted.", canReset: false },
};

function toAddress(address: string): { readonly name: string; readonly address: string } {
  return { name: "", address };
}

function toShownTime(timestamp: string): string {
  return `${timestamp.slice(0, 10)} ${timestamp.slice(11, 16)} UTC`;
}
