import { Clock, inject } from "@tenon/core";
import { createSecret, digest } from "@tenon/core/internal";
import { type AnyDatabase, Database, Sweeps } from "@tenon/data";
import { AccountStates } from "./account-states.ts";
import type { AccountStore, AccountTables } from "./account-tables.ts";
import { type AccountUser, AccountUsers } from "./account-users.ts";

/** Seconds that a token of each purpose is valid. */
export const tokenSeconds = { verification: 24 * 3600, reset: 3600, "email change": 3600 } as const;

export type TokenPurpose = keyof typeof tokenSeconds;

/** Whose token was used, and what it confirms: the new address for "email change", else null. */
export interface UsedToken {
  readonly user: AccountUser;
  readonly subject: string | null;
}

/**
 * Tokens for links in mails: 256 random bits, of which the database holds a digest. Each is valid for one use, for one
 * purpose, until it expires, and only while the user has the address and the password that it was made with.
 */
export class AccountTokens {
  readonly #db = inject(Database<AccountTables>);
  readonly #clock = inject(Clock);
  readonly #users = inject(AccountUsers);
  readonly #states = inject(AccountStates);

  constructor() {
    inject(Sweeps).addTable("account_tokens", "hash", "expires_at", () => this.#clock.timestamp());
  }

  async create(
    purpose: TokenPurpose,
    user: AccountUser,
    subject: string | null = null,
    transaction: AnyDatabase = this.#db,
  ): Promise<string> {
    const store: AccountStore = transaction;
    const token = createSecret();
    const expires = new Date(this.#clock.now() + tokenSeconds[purpose] * 1000).toISOString();
    await store
      .insertInto("account_tokens")
      .values({
        hash: hashOf(purpose, token),
        purpose,
        user_id: user.id,
        subject,
        bound: boundOf(user),
        expires_at: expires,
      })
      .execute();
    return token;
  }

  /** The user of a token that could be used now, which it stays. For what has to be done before a transaction. */
  async ownerOf(purpose: TokenPurpose, token: string): Promise<AccountUser | undefined> {
    const row = await this.#db
      .selectFrom("account_tokens")
      .select(["user_id", "bound"])
      .where("hash", "=", hashOf(purpose, token))
      .where("expires_at", ">", this.#clock.timestamp())
      .executeTakeFirst();
    const user = row && (await this.#users.find(row.user_id));
    return user !== undefined && boundOf(user) === row?.bound ? user : undefined;
  }

  /**
   * Consumes a token by one statement: of any number of callers on any number of instances, one gets the user. Undefined
   * for all others. From then on the transaction holds the lock of the account.
   */
  async use(purpose: TokenPurpose, token: string, transaction: AnyDatabase): Promise<UsedToken | undefined> {
    const store: AccountStore = transaction;
    const row = await store
      .deleteFrom("account_tokens")
      .where("hash", "=", hashOf(purpose, token))
      .where("expires_at", ">", this.#clock.timestamp())
      .returning(["user_id", "subject", "bound"])
      .executeTakeFirst();
    if (row === undefined) return undefined;
    // locked before it is read: of two tokens used concurrently, the second one must see what the first one has changed
    await this.#states.lock(row.user_id, transaction);
    const user = await this.#users.find(row.user_id, transaction);
    return user !== undefined && boundOf(user) === row.bound ? { user, subject: row.subject } : undefined;
  }

  /** Ends the changes of the address that the user has not confirmed yet. */
  async deleteEmailChanges(userId: string): Promise<void> {
    const purpose: TokenPurpose = "email change";
    await this.#db.deleteFrom("account_tokens").where("user_id", "=", userId).where("purpose", "=", purpose).execute();
  }

  /** Deletes all tokens of a user. */
  async deleteAll(userId: string, transaction: AccountStore): Promise<void> {
    await transaction.deleteFrom("account_tokens").where("user_id", "=", userId).execute();
  }
}

function hashOf(purpose: TokenPurpose, token: string): string {
  return digest(`${purpose}:${token}`);
}

/** Another value after a change of the address or the password. */
function boundOf({ id, email, password }: AccountUser): string {
  return digest(JSON.stringify([id, email, password]));
}

/** Another value after a change of the address or the password, and after the end of all logins. */
export function requestBoundOf(user: AccountUser, loginStamp: string): string {
  return digest(JSON.stringify([boundOf(user), loginStamp]));
}
