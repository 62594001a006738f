import { inject } from "@tenon/core";
import { type AnyDatabase, Database, type Migration, Migrations } from "@tenon/data";

export interface FactorRow {
  readonly user_id: string;
  /** Encrypted. */
  readonly secret: string;
  /** Null until the user has shown that the secret has arrived. */
  readonly confirmed_at: string | null;
  /** The step of the last code that was accepted: that code and older ones are used up. */
  readonly last_step: number;
}

interface Schema {
  auth_second_factors: FactorRow;
  auth_recovery_codes: { readonly user_id: string; readonly hash: string };
}

const migration: Migration = {
  name: "auth-004-second-factors",
  up: async (db) => {
    await db.schema
      .createTable("auth_second_factors")
      .addColumn("user_id", "text", (column) => column.primaryKey())
      .addColumn("secret", "text", (column) => column.notNull())
      .addColumn("confirmed_at", "text")
      .addColumn("last_step", "integer", (column) => column.notNull())
      .execute();
    await db.schema
      .createTable("auth_recovery_codes")
      .addColumn("user_id", "text", (column) => column.notNull())
      .addColumn("hash", "text", (column) => column.notNull())
      .addPrimaryKeyConstraint("auth_recovery_codes_key", ["user_id", "hash"])
      .execute();
  },
  down: async (db) => {
    await db.schema.dropTable("auth_recovery_codes").execute();
    await db.schema.dropTable("auth_second_factors").execute();
  },
};

/** What a caller writes in the same transaction. */
export type Alongside = (transaction: AnyDatabase) => Promise<void>;

/** The tables of `SecondFactor`. Whatever may happen once is one statement, so that concurrent requests have one winner. */
export class SecondFactorRows {
  readonly #db = inject(Database<Schema>);

  constructor() {
    inject(Migrations).add([migration]);
  }

  find(userId: string): Promise<FactorRow | undefined> {
    return this.#db.selectFrom("auth_second_factors").selectAll().where("user_id", "=", userId).executeTakeFirst();
  }

  /** Replaces an unconfirmed secret. Returns false when the user has a confirmed one, which stays. */
  async begin(userId: string, secret: string): Promise<boolean> {
    const row = await this.#db
      .insertInto("auth_second_factors")
      .values({ user_id: userId, secret, confirmed_at: null, last_step: 0 })
      .onConflict((conflict) =>
        conflict.column("user_id").doUpdateSet({ secret }).where("auth_second_factors.confirmed_at", "is", null),
      )
      .returning("user_id")
      .executeTakeFirst();
    return row !== undefined;
  }

  /** Confirms this very secret, uses up the step and stores the hashes. Returns false when it is not waiting any more. */
  confirm(
    { user_id, secret }: FactorRow,
    step: number,
    time: string,
    hashes: readonly string[],
    alongside?: Alongside,
  ): Promise<boolean> {
    return this.#db.transaction().execute(async (transaction) => {
      const { numUpdatedRows } = await transaction
        .updateTable("auth_second_factors")
        .set({ confirmed_at: time, last_step: step })
        .where("user_id", "=", user_id)
        .where("secret", "=", secret)
        .where("confirmed_at", "is", null)
        .executeTakeFirst();
      if (numUpdatedRows === 0n) return false;
      await replaceHashes(transaction, user_id, hashes);
      await alongside?.(transaction);
      return true;
    });
  }

  /** Uses up a step. Returns false when it was used, or a newer one. */
  async useStep({ user_id, secret }: FactorRow, step: number): Promise<boolean> {
    const { numUpdatedRows } = await this.#db
      .updateTable("auth_second_factors")
      .set({ last_step: step })
      .where("user_id", "=", user_id)
      .where("secret", "=", secret)
      .where("confirmed_at", "is not", null)
      .where("last_step", "<", step)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  async useRecoveryCode(userId: string, hash: string): Promise<boolean> {
    const { numDeletedRows } = await this.#db
      .deleteFrom("auth_recovery_codes")
      .where("user_id", "=", userId)
      .where("hash", "=", hash)
      .executeTakeFirst();
    return numDeletedRows > 0n;
  }

  /** Returns false for a user without a confirmed second factor. */
  replaceRecoveryCodes(userId: string, hashes: readonly string[], alongside?: Alongside): Promise<boolean> {
    return this.#db.transaction().execute(async (transaction) => {
      // locks the row: two that run at the same time would leave the codes of both
      const { numUpdatedRows } = await transaction
        .updateTable("auth_second_factors")
        .set((row) => ({ last_step: row.ref("last_step") }))
        .where("user_id", "=", userId)
        .where("confirmed_at", "is not", null)
        .executeTakeFirst();
      if (numUpdatedRows === 0n) return false;
      await replaceHashes(transaction, userId, hashes);
      await alongside?.(transaction);
      return true;
    });
  }

  async countRecoveryCodes(userId: string): Promise<number> {
    const { count } = await this.#db
      .selectFrom("auth_recovery_codes")
      .select((row) => row.fn.countAll().as("count"))
      .where("user_id", "=", userId)
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  /** Removes a secret that waits for its first code. */
  async removePending(userId: string, transaction: AnyDatabase = this.#db): Promise<void> {
    const factors = transaction.deleteFrom("auth_second_factors").where("user_id", "=", userId);
    await factors.where("confirmed_at", "is", null).execute();
  }

  /** Returns whether there was a confirmed one. */
  remove(userId: string, transaction?: AnyDatabase): Promise<boolean> {
    return transaction === undefined
      ? this.#db.transaction().execute((own) => removeIn(own, userId))
      : removeIn(transaction, userId);
  }
}

/** The factor first: `replaceRecoveryCodes()` and `confirm()` lock its row before they write codes. */
async function removeIn(transaction: AnyDatabase, userId: string): Promise<boolean> {
  const removed = await transaction
    .deleteFrom("auth_second_factors")
    .where("user_id", "=", userId)
    .returning("confirmed_at")
    .executeTakeFirst();
  await transaction.deleteFrom("auth_recovery_codes").where("user_id", "=", userId).execute();
  return removed !== undefined && removed.confirmed_at !== null;
}

async function replaceHashes(transaction: AnyDatabase, userId: string, hashes: readonly string[]) {
  await transaction.deleteFrom("auth_recovery_codes").where("user_id", "=", userId).execute();
  await transaction
    .insertInto("auth_recovery_codes")
    .values(hashes.map((hash) => ({ user_id: userId, hash })))
    .execute();
}
