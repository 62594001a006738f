/**
 * Refuses the statements of a transaction that has ended: they would run by themselves, and stay when it was rolled
 * back. Kysely refuses them too, but only from a moment after the end.
 */
export class TransactionGuard {
  #ending: Promise<void> | undefined;
  #isReleased = false;

  /** Commits or rolls back. Statements that come meanwhile wait. */
  async end(run: () => Promise<unknown>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#ending = promise;
    try {
      await run();
    } finally {
      // until then Kysely has released the connection, unless it is one of `db.connection()`, which goes on
      setImmediate(() => {
        if (this.#ending === promise) this.#ending = undefined;
        resolve();
      });
    }
  }

  release(): void {
    this.#isReleased = true;
  }

  /** Rejects when the transaction of a statement has ended; undefined when it may run at once. */
  check(): Promise<void> | undefined {
    return this.#ending === undefined && !this.#isReleased ? undefined : this.#refuseLate();
  }

  async #refuseLate(): Promise<void> {
    await this.#ending;
    if (!this.#isReleased) return;
    throw new Error("The transaction of this statement has ended, so it was not run. Is an `await` missing?");
  }
}
