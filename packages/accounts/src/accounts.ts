import { ApiKeys, LoginLimit, Logins, PasswordLogin, Passwords, SecondFactor, Sessions } from "@tenon/auth";
import { BindError, type Context, inject } from "@tenon/core";
import { type AnyDatabase, Database, isUniqueViolation } from "@tenon/data";
import { isAddress, Mailer } from "@tenon/mail";
import { AccountChanges } from "./account-changes.ts";
import { AccountEvents, type Actor } from "./account-events.ts";
import { AccountLimits } from "./account-limits.ts";
import { AccountStates } from "./account-states.ts";
import type { AccountTables } from "./account-tables.ts";
import { AccountTokens, requestBoundOf } from "./account-tokens.ts";
import { type AccountUser, AccountUsers, confirmedAs, limitedAs } from "./account-users.ts";
import { ConfirmEmail, ResetPassword, VerifyEmail } from "./mails.ts";

/** What the owner of an account sees of it. */
export interface AccountState {
  readonly id: string;
  readonly email: string;
  /** "" where users have no names. */
  readonly name: string;
  readonly verified: boolean;
  readonly second_factor: boolean;
  readonly recovery_codes_left: number;
}

/** Verification, reset, and changes of accounts. Methods that take a token or an address never tell who has an account. */
export class Accounts {
  readonly #db = inject(Database<AccountTables>);
  readonly #users = inject(AccountUsers);
  readonly #tokens = inject(AccountTokens);
  readonly #states = inject(AccountStates);
  readonly #events = inject(AccountEvents);
  readonly #changes = inject(AccountChanges);
  readonly #limits = inject(AccountLimits);
  readonly #mailer = inject(Mailer);
  readonly #passwords = inject(Passwords);
  readonly #passwordLogin = inject(PasswordLogin);
  readonly #logins = inject(Logins);
  readonly #sessions = inject(Sessions);
  readonly #loginLimit = inject(LoginLimit);
  readonly #secondFactor = inject(SecondFactor);
  readonly #apiKeys = inject(ApiKeys);

  /** Undefined when there is no such user. */
  async state(userId: string): Promise<AccountState | undefined> {
    const user = await this.#users.find(userId);
    if (user === undefined) return undefined;
    const { id, email, name = "" } = user;
    const isEnabled = await this.#secondFactor.isEnabled(id);
    return {
      id,
      email,
      name,
      verified: await this.#states.isVerified(user),
      second_factor: isEnabled,
      recovery_codes_left: isEnabled ? await this.#secondFactor.recoveryCodesLeft(id) : 0,
    };
  }

  /** Sends the mail of a new user, if the transaction that creates the user commits. */
  async registered(
    userId: string,
    { transaction, actor = "system" }: { readonly transaction: AnyDatabase; readonly actor?: Actor },
  ): Promise<void> {
    await this.#events.record(userId, "registered", actor, transaction);
    await this.#mailer.send(VerifyEmail, { user_id: userId }, { transaction });
  }

  async isVerified(userId: string): Promise<boolean> {
    const user = await this.#users.find(userId);
    return user !== undefined && this.#states.isVerified(user);
  }

  /** Sends the mail again, unless the address is verified. 429 after five in an hour. */
  async sendVerification(userId: string): Promise<void> {
    await this.#limits.checkAccount("verification", userId);
    if (!(await this.isVerified(userId))) await this.#mailer.send(VerifyEmail, { user_id: userId });
  }

  /**
   * Verifies the address of the user who is logged in. The link alone is not enough: the owner of an address would
   * verify an account that a stranger has registered with it. False when the token is for another user, which leaves it
   * valid, or unknown, used, expired or from before a change of the address or the password.
   */
  async verify(token: string, userId: string, actor: Actor): Promise<boolean> {
    if ((await this.#tokens.ownerOf("verification", token))?.id !== userId) return false;
    return this.#db.transaction().execute(async (transaction) => {
      const used = await this.#tokens.use("verification", token, transaction);
      if (used === undefined) return false;
      await this.#states.setVerified(used.user.id, used.user.email, transaction);
      await this.#events.record(used.user.id, "address verified", actor, transaction);
      return true;
    });
  }

  /** Verifies the current address without a token: for operators. False when there is no such user. */
  verifyAs(actor: Actor, userId: string): Promise<boolean> {
    return this.#db.transaction().execute(async (transaction) => {
      await this.#states.lock(userId, transaction);
      const user = await this.#users.find(userId, transaction);
      if (user === undefined) return false;
      await this.#states.setVerified(userId, user.email, transaction);
      await this.#events.record(userId, "address verified", actor, transaction);
      return true;
    });
  }

  /**
   * Sends a link to choose a new password, if an account has the address. That is found out when the mail is made, so
   * the request is the same work for every address. 429 after 30 requests of one client in an hour; after five for one
   * address no more are sent, because those that were sent are still valid.
   */
  async requestReset(email: string, ctx: Context): Promise<void> {
    await this.#limits.checkClient("reset", ctx);
    if (!isAddress(email) || !(await this.#limits.allows("reset", email))) return;
    // without a key: that of a known address would be held until its mail is sent
    await this.#mailer.send(ResetPassword, { email });
  }

  /** The same for operators, without limits. */
  async requestResetAs(actor: Actor, user: AccountUser): Promise<void> {
    await this.#db.transaction().execute(async (transaction) => {
      await this.#events.record(user.id, "reset requested", actor, transaction);
      await this.#mailer.send(ResetPassword, { email: user.email }, { transaction });
    });
  }

  /**
   * Sets a new password and ends all logins. The link has proved the address, so it is verified. If it was not verified
   * before, a stranger may have registered it: the second factor and the API keys are removed. False for a token that is
   * not valid.
   */
  async reset(token: string, password: string, actor: Actor): Promise<boolean> {
    const owner = await this.#tokens.ownerOf("reset", token);
    if (owner === undefined) return false; // before the hash, which takes a second of a core
    const hash = await this.#passwords.hash(password);
    await this.#logins.endAll(owner.id);
    const user = await this.#db.transaction().execute(async (transaction) => {
      const used = await this.#tokens.use("reset", token, transaction);
      if (used === undefined) return undefined;
      if (!(await this.#states.isVerified(used.user, transaction))) {
        await this.#apiKeys.revokeAll(used.user.id, transaction);
        if (await this.#secondFactor.disable(used.user.id, transaction)) {
          await this.#changes.note(used.user, "second factor disabled", "system", transaction);
        }
      }
      await this.#states.setVerified(used.user.id, used.user.email, transaction);
      await this.#setPassword(used.user, hash, "password reset", actor, transaction);
      return used.user;
    });
    await this.#logins.endAll(owner.id);
    if (user === undefined) return false;
    await this.#loginLimit.clear(limitedAs(user));
    await this.#secondFactor.clearFailures(user.id);
    return true;
  }

  /**
   * Ends all logins, that of the request included: `Sessions.open()` makes another one for it. Does not ask for a code:
   * guard it by a recent login. Returns the user; undefined when `current` is wrong, and a 429 after too many of those.
   */
  async changePassword(userId: string, current: string, next: string, ctx: Context): Promise<AccountUser | undefined> {
    const known = await this.#users.find(userId);
    if (known === undefined) return undefined;
    const find = () => this.#users.find(userId);
    const input = { account: confirmedAs(known), password: current, find };
    const user = await this.#passwordLogin.checkPassword(input, ctx);
    if (user === undefined) return undefined;
    if (!this.#passwords.fits(next)) {
      throw new BindError([{ path: "new_password", rule: "max", message: "must have at most 72 bytes" }]);
    }
    const hash = await this.#passwords.hash(next, ctx);
    await this.#logins.endAll(userId);
    const isChanged = await this.#db.transaction().execute(async (transaction) => {
      await this.#states.lock(userId, transaction);
      // a reset that was faster has ended this login, and with it this request
      if ((await this.#users.find(userId, transaction))?.password !== user.password) return false;
      await this.#setPassword(user, hash, "password changed", ctx, transaction);
      return true;
    });
    this.#logins.note(ctx, userId, await this.#logins.endAll(userId)); // of the session that may follow
    if (!isChanged) return undefined;
    await this.#loginLimit.clear(limitedAs(user));
    return user;
  }

  /**
   * Sends a link to the new address, which the account gets when the link is used, and a notice to the old one. Rejects
   * what is not an address. Does not tell whether the address is taken. 429 after five in an hour.
   */
  async requestEmailChange(userId: string, email: string, ctx: Context): Promise<void> {
    await this.#limits.checkClient("email change", ctx);
    await this.#limits.checkAccount("email change", userId);
    if (!isAddress(email)) {
      throw new BindError([{ path: "email", rule: "email", message: "must be an e-mail address" }]);
    }
    const user = await this.#users.find(userId);
    // counted for the new address too: many accounts could send mails to a stranger
    if (user === undefined || !(await this.#limits.allows("email change", email))) return;
    // before the transaction: on SQLite the read would wait for its end, for ever
    const bound = requestBoundOf(user, await this.#logins.stampOf(userId));
    await this.#db.transaction().execute(async (transaction) => {
      await this.#changes.note(user, "address change requested", ctx, transaction);
      await this.#mailer.send(ConfirmEmail, { user_id: userId, email, bound }, { transaction });
    });
  }

  /**
   * Changes the address of the user who is logged in, as with `verify()`. Tells "taken" to the owner of the new address
   * only. The old address gets a notice.
   */
  async confirmEmailChange(token: string, userId: string, actor: Actor): Promise<"changed" | "taken" | "invalid"> {
    if ((await this.#tokens.ownerOf("email change", token))?.id !== userId) return "invalid";
    try {
      return await this.#db.transaction().execute(async (transaction) => {
        const used = await this.#tokens.use("email change", token, transaction);
        if (used === undefined || used.subject === null) return "invalid";
        await this.#users.setEmail(used.user.id, used.subject, transaction);
        await this.#changes.note(used.user, "address changed", actor, transaction);
        const changed = await this.#users.find(used.user.id, transaction); // as stored, for example in lower case
        await this.#states.setVerified(used.user.id, changed?.email ?? used.subject, transaction);
        return "changed";
      });
    } catch (error) {
      if (isUniqueViolation(error)) return "taken";
      throw error;
    }
  }

  /** Ends one session of the user by its id in `Sessions.list()`. Returns whether there was one. */
  async endSession(userId: string, id: string, actor: Actor): Promise<boolean> {
    const isEnded = await this.#sessions.end(userId, id);
    if (isEnded) await this.#events.record(userId, "sessions ended", actor);
    return isEnded;
  }

  /** Ends all sessions and refresh tokens of the user but the session of this request, and a change of the address. */
  async endOtherSessions(userId: string, ctx: Context): Promise<void> {
    await this.#sessions.endOthers(ctx, userId);
    await this.#endPending(userId);
    await this.#events.record(userId, "sessions ended", ctx);
  }

  /** Ends all sessions and refresh tokens, and a change of the address that is not confirmed yet. */
  async endSessions(userId: string, actor: Actor): Promise<void> {
    await this.#logins.endAll(userId);
    await this.#endPending(userId);
    await this.#events.record(userId, "sessions ended", actor);
  }

  /** Deletes the user with everything that accounts and auth have stored. Of the audit log the last entry remains. */
  async delete(userId: string, actor: Actor): Promise<void> {
    await this.#logins.endAll(userId);
    await this.#db.transaction().execute(async (transaction) => {
      await this.#tokens.deleteAll(userId, transaction); // before the lock, as `use()` does: no two can wait for each other
      await this.#states.lock(userId, transaction);
      const user = await this.#users.find(userId, transaction);
      await this.#events.deleteAll(userId, transaction);
      await this.#secondFactor.disable(userId, transaction);
      await this.#apiKeys.revokeAll(userId, transaction);
      await this.#sessions.forgetAll(userId, transaction);
      if (user !== undefined) {
        await this.#users.delete(userId, transaction);
        // without the address and the client of the request, which are personal data
        await this.#changes.note(user, "account deleted", typeof actor === "string" ? actor : "user", transaction);
      }
      await this.#states.delete(userId, transaction);
    });
    await this.#logins.endAll(userId);
  }

  /** What a login that has ended now may have begun. */
  async #endPending(userId: string): Promise<void> {
    await this.#tokens.deleteEmailChanges(userId);
    await this.#secondFactor.forgetPending(userId);
  }

  async #setPassword(
    user: AccountUser,
    hash: string,
    event: "password reset" | "password changed",
    actor: Actor,
    transaction: AnyDatabase,
  ): Promise<void> {
    await this.#users.setPassword(user.id, hash, transaction);
    await this.#secondFactor.forgetPending(user.id, transaction); // a login that has ended now may have begun it
    await this.#changes.note(user, event, actor, transaction);
  }
}
