import { inject, Log, type OnStart, type OnStop } from "@tenon/core";
import { sql } from "kysely";
import { Database } from "./database/database.ts";
import { Health } from "./health.ts";
import { StoreError } from "./store-error.ts";
import { runInBatches } from "./support/batches.ts";

const interval = 60_000;
const batchSize = 250;
/** Sweeps of a table that fail in a row before the application is not ready. */
const toleratedFailures = 3;

/** Deletes what has expired, in the tables of all modules: every minute, in each instance. */
export class Sweeps implements OnStart, OnStop {
  readonly #db = inject(Database);
  readonly #health = inject(Health);
  readonly #log = inject(Log);
  readonly #batches = new Map<string, () => Promise<number>>();
  readonly #failures = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;
  #running: Promise<void> | undefined;

  /** `batch` deletes a bounded number of rows and returns how many. */
  add(table: string, batch: () => Promise<number>): void {
    this.#batches.set(table, batch);
  }

  /** Deletes the rows of a table of the database whose `column`, which needs an index, is not after `until()`. */
  addTable(table: string, key: string, column: string, until: () => string): void {
    // instances delete other rows each, so that none waits for another
    const lock = this.#db.kind === "postgres" ? sql`for update skip locked` : sql``;
    this.add(table, async () => {
      const expired = sql`select ${sql.ref(key)} from ${sql.table(table)} where ${sql.ref(column)} <= ${until()}
        order by ${sql.ref(column)} limit ${sql.lit(batchSize)} ${lock}`;
      const query = sql`delete from ${sql.table(table)} where ${sql.ref(key)} in (${expired})`;
      return Number((await query.execute(this.#db)).numAffectedRows ?? 0);
    });
  }

  onStart(): void {
    this.#timer = setTimeout(() => {
      this.#running = this.run().finally(() => {
        if (!this.#stopped) this.onStart();
      });
    }, interval).unref();
  }

  async onStop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  /** Sweeps all tables now. Never rejects. */
  async run(): Promise<void> {
    for (const [table, batch] of this.#batches) {
      try {
        await runInBatches(async () => (this.#stopped ? 0 : batch()));
        this.#failures.delete(table);
      } catch (error) {
        const isOverload = error instanceof StoreError && typeof error.cause === "string"; // of an overload, which ends
        if (!isOverload) this.#noteFailure(table, error);
      }
    }
  }

  #noteFailure(table: string, error: unknown): void {
    const failures = (this.#failures.get(table) ?? 0) + 1;
    this.#failures.set(table, failures);
    if (failures !== toleratedFailures) return;
    this.#log.error(
      { err: error },
      `expired rows of ${table} cannot be deleted: ${failures} sweeps in a row have failed`,
    );
    this.#health.add(`sweep ${table}`, async () => {
      if ((this.#failures.get(table) ?? 0) >= toleratedFailures) throw error;
    });
  }
}
