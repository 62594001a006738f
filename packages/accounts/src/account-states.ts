import { inject } from "@tenon/core";
import { Database } from "@tenon/data";
import type { AccountStore, AccountTables } from "./account-tables.ts";
import type { AccountUser } from "./account-users.ts";

/** One row for each account: which address was verified. The row is also the lock of the account. */
export class AccountStates {
  readonly #db = inject(Database<AccountTables>);

  /** Until the end of the transaction no other one changes this account. SQLite runs one writing transaction at a time. */
  async lock(userId: string, transaction: AccountStore): Promise<void> {
    await transaction
      .insertInto("account_states")
      .values({ user_id: userId, verified_email: null })
      .onConflict((conflict) => conflict.column("user_id").doUpdateSet({ user_id: userId }))
      .execute();
  }

  async isVerified({ id, email }: AccountUser, transaction: AccountStore = this.#db): Promise<boolean> {
    const row = await transaction
      .selectFrom("account_states")
      .select("verified_email")
      .where("user_id", "=", id)
      .executeTakeFirst();
    return row?.verified_email === email;
  }

  /** Locks the account, too. */
  async setVerified(userId: string, email: string, transaction: AccountStore): Promise<void> {
    await transaction
      .insertInto("account_states")
      .values({ user_id: userId, verified_email: email })
      .onConflict((conflict) => conflict.column("user_id").doUpdateSet({ verified_email: email }))
      .execute();
  }

  async delete(userId: string, transaction: AccountStore): Promise<void> {
    await transaction.deleteFrom("account_states").where("user_id", "=", userId).execute();
  }
}
