import { CompiledQuery, type DatabaseConnection, RawNode } from "kysely";
import type { AnyDatabase } from "./database.ts";
import { quoteName } from "./quote-name.ts";

/** Passes a function to the connection of a transaction: the only way through Kysely that leads there. */
export class CommitHook implements CompiledQuery {
  readonly sql = "";
  readonly parameters: readonly unknown[] = [];
  readonly query = RawNode.createWithSql("");
  readonly queryId = { queryId: "" };
  readonly run: () => unknown;

  constructor(run: () => unknown) {
    this.run = run;
  }
}

/** The functions that wait for the commit of one connection's transaction. */
export class CommitHooks {
  readonly #waiting: (() => unknown)[] = [];
  readonly #savepoints = new Map<string, number>();

  add(hook: CommitHook): { readonly rows: never[] } {
    this.#waiting.push(hook.run);
    return { rows: [] };
  }

  savepoint(name: string): void {
    this.#savepoints.set(name, this.#waiting.length);
  }

  rollbackTo(name: string): void {
    this.#waiting.length = Math.min(this.#waiting.length, this.#savepoints.get(name) ?? 0);
  }

  clear(): void {
    this.#waiting.length = 0;
    this.#savepoints.clear();
  }

  /** In their order. The transaction is committed, so that an error of one of them cannot fail it any more. */
  async run(): Promise<void> {
    const hooks = this.#waiting.splice(0);
    this.clear();
    for (const hook of hooks) await Promise.try(hook).catch(() => {});
  }
}

type HookedConnection = DatabaseConnection & { readonly hooks: CommitHooks };

/** The part of a driver that makes savepoints: a rollback to one drops the functions that were added after it. */
export abstract class Savepoints {
  async savepoint(connection: HookedConnection, name: string): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw(`savepoint ${quoteName(name)}`));
    connection.hooks.savepoint(name);
  }

  async rollbackToSavepoint(connection: HookedConnection, name: string): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw(`rollback to ${quoteName(name)}`));
    connection.hooks.rollbackTo(name);
  }

  async releaseSavepoint(connection: HookedConnection, name: string): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw(`release ${quoteName(name)}`));
  }
}

/**
 * Runs a function right after the commit of a transaction; not at all when it is rolled back, or when its outcome is
 * unknown: what it announces might not exist. The transaction waits for it. It handles its own errors: the transaction
 * cannot fail any more.
 */
export async function afterCommit(transaction: AnyDatabase, run: () => unknown): Promise<void> {
  if (!transaction.isTransaction) {
    throw new TypeError("afterCommit() takes a transaction: db.transaction().execute((trx) => afterCommit(trx, …))");
  }
  await transaction.executeQuery(new CommitHook(run));
}
