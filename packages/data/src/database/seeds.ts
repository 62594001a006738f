import { sql } from "kysely";
import type { Database } from "./database.ts";

/** Data for development and tests: `db seed`. */
export interface Seed {
  /** Recorded in the store when the seed has run. */
  readonly name: string;
  /** Not in a transaction, so that it may use services. A seed that fails is not recorded and runs again the next time. */
  // biome-ignore lint/suspicious/noExplicitAny: a list of seeds is typed without the application's schema
  run(db: Database<any>): Promise<unknown>;
}

export interface SeedOptions {
  /** Runs the seeds of these names only. */
  readonly only?: readonly string[];
  /** Runs also those that have run before. Defaults to false. */
  readonly again?: boolean;
}

const table = "tenon_seeds";

/** The seeds of a database. Each runs once, in the order of the list, and only when `run()` is called. */
export class Seeds {
  readonly #db: Database;
  readonly #seeds = new Map<string, Seed>();

  constructor(db: Database, seeds: readonly Seed[] = []) {
    this.#db = db;
    for (const seed of seeds) this.add(seed);
  }

  /** Adds a seed of one module; call it in a constructor. */
  add(seed: Seed): void {
    if (this.#seeds.has(seed.name)) throw new Error(`two seeds are named "${seed.name}"`);
    this.#seeds.set(seed.name, seed);
  }

  /** The names of all seeds, in their order. */
  get names(): string[] {
    return [...this.#seeds.keys()];
  }

  /** Returns the names of the seeds that this call ran. */
  async run({ only, again = false }: SeedOptions = {}): Promise<string[]> {
    const unknown = only?.find((name) => !this.#seeds.has(name));
    if (unknown !== undefined) {
      throw new Error(`there is no seed "${unknown}". Seeds: ${this.names.join(", ") || "none"}.`);
    }
    const recorded = await this.#readRecorded();
    const ran: string[] = [];
    for (const [name, seed] of this.#seeds) {
      const isWanted = only?.includes(name) ?? true;
      if (!isWanted || (recorded.has(name) && !again)) continue;
      await this.#run(seed);
      ran.push(name);
    }
    return ran;
  }

  async #run(seed: Seed): Promise<void> {
    try {
      await seed.run(this.#db);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`seed "${seed.name}" failed: ${reason}`, { cause: error });
    }
    await sql`insert into ${sql.table(table)} (name, ran_at) values (${seed.name}, ${new Date()})
      on conflict (name) do update set ran_at = excluded.ran_at`.execute(this.#db);
  }

  async #readRecorded(): Promise<Set<string>> {
    await this.#db.schema
      .createTable(table)
      .ifNotExists()
      .addColumn("name", "text", (column) => column.primaryKey())
      .addColumn("ran_at", "text", (column) => column.notNull())
      .execute();
    const { rows } = await sql<{ name: string }>`select name from ${sql.table(table)}`.execute(this.#db);
    return new Set(rows.map(({ name }) => name));
  }
}
