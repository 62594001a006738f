import { PasswordLogin, RecentLogins } from "@tenon/auth";
import { type Context, inject } from "@tenon/core";
import { AccountUsers, confirmedAs } from "./account-users.ts";

/** Lets a user who is logged in prove the password again, and with a second factor the code: the login is then recent. */
export class LoginConfirmation {
  readonly #users = inject(AccountUsers);
  readonly #passwords = inject(PasswordLogin);
  readonly #recent = inject(RecentLogins);

  /** False when the password or the code is wrong; throws SecondFactorRequired, and 429 after too many failures. */
  async confirm(
    ctx: Context,
    input: { readonly password: string; readonly code?: string | undefined },
  ): Promise<boolean> {
    const id: string = ctx.get("user_id");
    const user = await this.#users.find(id);
    if (user === undefined) return false;
    const { password, code = "" } = input;
    const find = () => this.#users.find(id);
    const confirmed = await this.#passwords.check({ account: confirmedAs(user), password, code, find }, ctx);
    if (confirmed === undefined) return false;
    await this.#recent.confirm(ctx);
    return true;
  }
}
