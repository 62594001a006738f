import { type NewSecondFactor, SecondFactor, Sessions } from "@tenon/auth";
import { type Context, HttpError, inject } from "@tenon/core";
import { Database } from "@tenon/data";
import { AccountChanges } from "./account-changes.ts";
import type { Actor } from "./account-events.ts";
import { AccountLimits } from "./account-limits.ts";
import { AccountStates } from "./account-states.ts";
import type { AccountTables } from "./account-tables.ts";
import { AccountTokens } from "./account-tokens.ts";
import { AccountUsers } from "./account-users.ts";
import { AccountSettings } from "./settings.ts";

/** The second factor of accounts: that of auth, with entries in the audit log and security notices. */
export class AccountSecondFactor {
  readonly #db = inject(Database<AccountTables>);
  readonly #users = inject(AccountUsers);
  readonly #states = inject(AccountStates);
  readonly #changes = inject(AccountChanges);
  readonly #limits = inject(AccountLimits);
  readonly #secondFactor = inject(SecondFactor);
  readonly #sessions = inject(Sessions);
  readonly #tokens = inject(AccountTokens);
  readonly #site = inject(AccountSettings).name;

  constructor() {
    this.#secondFactor.onWarning((userId, event) =>
      this.#db.transaction().execute((own) => this.#changes.noteOf(userId, event, "user", own)),
    );
  }

  /** A new secret, which counts once `confirm()` has seen a code. 403 unless the address is verified. */
  async begin(userId: string): Promise<NewSecondFactor> {
    const user = await this.#users.find(userId);
    // a reset of an unverified account removes the second factor: it would protect nothing
    if (user === undefined || !(await this.#states.isVerified(user))) {
      throw new HttpError(403, "E-mail address not verified");
    }
    return this.#secondFactor.begin(userId, user.email, this.#site);
  }

  /** What `begin()` has returned, while it waits for `confirm()`. */
  async pending(userId: string): Promise<NewSecondFactor | undefined> {
    const user = await this.#users.find(userId);
    return user && this.#secondFactor.pending(userId, user.email, this.#site);
  }

  /**
   * The recovery codes, which are shown once; undefined when the code is wrong. Ends all other logins: they were made
   * without a code, and a recent one could disable the second factor.
   */
  async confirm(userId: string, code: string, ctx: Context): Promise<string[] | undefined> {
    const codes = await this.#secondFactor.confirm(userId, code, (transaction) =>
      this.#changes.noteOf(userId, "second factor enabled", ctx, transaction),
    );
    if (codes === undefined) return undefined;
    await this.#sessions.endOthers(ctx, userId);
    await this.#tokens.deleteEmailChanges(userId); // a login that has ended now may have requested it
    return codes;
  }

  /** Returns whether there was one. */
  disable(userId: string, actor: Actor): Promise<boolean> {
    return this.#db.transaction().execute(async (transaction) => {
      const wasEnabled = await this.#secondFactor.disable(userId, transaction);
      if (wasEnabled) await this.#changes.noteOf(userId, "second factor disabled", actor, transaction);
      return wasEnabled;
    });
  }

  /** New recovery codes instead of the old ones; undefined without a second factor. 429 after five in an hour. */
  async renewRecoveryCodes(userId: string, actor: Actor): Promise<string[] | undefined> {
    if (!(await this.#secondFactor.isEnabled(userId))) return undefined;
    await this.#limits.checkAccount("recovery codes", userId);
    return this.#secondFactor.renewRecoveryCodes(userId, (transaction) =>
      this.#changes.noteOf(userId, "recovery codes renewed", actor, transaction),
    );
  }
}
