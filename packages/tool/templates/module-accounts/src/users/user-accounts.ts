import { type AccountUser, AccountUsers } from "@tenon/accounts";
import { inject } from "@tenon/core";
import { Database, isUuid, type Kysely } from "@tenon/data";
import type { Schema } from "../database/schema.ts";

/** How accounts read and change the users. A method with a transaction runs its statements there. */
export class UserAccounts extends AccountUsers {
  readonly #db = inject(Database<Schema>);

  async find(id: string, transaction: Kysely<Schema> = this.#db): Promise<AccountUser | undefined> {
    if (!isUuid(id)) return undefined; // PostgreSQL cannot look for it
    return transaction.selectFrom("users").selectAll().where("id", "=", id).executeTakeFirst();
  }

  findByEmail(email: string): Promise<AccountUser | undefined> {
    return this.#db.selectFrom("users").selectAll().where("email", "=", email.toLowerCase()).executeTakeFirst();
  }

  async setPassword(id: string, password: string, transaction: Kysely<Schema>): Promise<void> {
    await transaction.updateTable("users").set({ password }).where("id", "=", id).execute();
  }

  async setEmail(id: string, email: string, transaction: Kysely<Schema>): Promise<void> {
    await transaction.updateTable("users").set({ email: email.toLowerCase() }).where("id", "=", id).execute();
  }

  /** Rows that belong to the user are deleted too, by their foreign keys. */
  async delete(id: string, transaction: Kysely<Schema>): Promise<void> {
    await transaction.deleteFrom("users").where("id", "=", id).execute();
  }
}
