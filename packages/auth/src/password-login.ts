import { type Context, inject } from "@tenon/core";
import { LoginLimit } from "./login-limit.ts";
import { Logins } from "./logins.ts";
import { Passwords } from "./passwords.ts";
import { SecondFactor } from "./second-factor.ts";
import { SecondFactorRequired } from "./second-factor-required.ts";

/** What `PasswordLogin` reads of a user. The password is a hash of `Passwords`. */
export interface PasswordUser {
  readonly id: string;
  readonly password: string;
}

export interface PasswordLoginInput<User extends PasswordUser> {
  /** What failures are counted by: the address in the form that is compared, such as lower case. */
  readonly account: string;
  readonly password: string;
  /** A code of the second factor, or a recovery code. An empty one counts as none. */
  readonly code?: string | undefined;
  /** Reads the user from the database. It is called again after the comparison. */
  readonly find: () => Promise<User | undefined>;
}

/** Checks a password and, where the user has one, the second factor. Every endpoint that takes a password calls it. */
export class PasswordLogin {
  readonly #limit = inject(LoginLimit);
  readonly #passwords = inject(Passwords);
  readonly #logins = inject(Logins);
  readonly #factor = inject(SecondFactor);

  /**
   * The user, if the password and the code are right. Undefined for an unknown user or a wrong password, which take
   * equally long, and for a wrong code. Throws a 429 after too many failures, and `SecondFactorRequired` when the password
   * is right and the code is missing. Without the right password a code is not looked at.
   */
  async check<User extends PasswordUser>(input: PasswordLoginInput<User>, ctx: Context): Promise<User | undefined> {
    const user = await this.checkPassword(input, ctx);
    if (user === undefined || !(await this.#factor.isEnabled(user.id))) return user;
    if (input.code === undefined || input.code === "") throw new SecondFactorRequired(user.id);
    return (await this.#factor.verify(user.id, input.code)) ? user : undefined;
  }

  /** The password alone, with the same limits. Not for logins: for a user whose login is recent. */
  async checkPassword<User extends PasswordUser>(
    input: Omit<PasswordLoginInput<User>, "code">,
    ctx: Context,
  ): Promise<User | undefined> {
    await this.#limit.check(input.account, ctx);
    const user = await this.#compare(input, ctx);
    // checked again: guesses sent concurrently all pass the first check
    await this.#limit.check(input.account, ctx);
    if (user === undefined) await this.#limit.noteFailure(input.account, ctx);
    return user;
  }

  /** The hash is read again afterwards: a password that was changed during the comparison is not the user's any more. */
  async #compare<User extends PasswordUser>(
    { password, find }: Pick<PasswordLoginInput<User>, "password" | "find">,
    ctx: Context,
  ): Promise<User | undefined> {
    let user = await find();
    // the second turn is for a hash that was only made again with a higher cost
    for (let turn = 0; turn < 2; turn++) {
      // for an unknown user too, which would otherwise take one read less
      const stamp = await this.#logins.stampOf(user?.id ?? "");
      if (!(await this.#passwords.matches(password, user?.password, ctx))) return undefined;
      const current = await find();
      if (current !== undefined && current.id === user?.id && current.password === user.password) {
        this.#logins.note(ctx, current.id, stamp);
        return current;
      }
      user = current;
    }
    return undefined;
  }
}
