import { StoreError } from "../store-error.ts";
import { type SqlPlace, traceSql } from "../tracing.ts";
import type { Notice, PooledClient, PostgresResult } from "./postgres-driver.ts";
import { isOutcomeUnknown, isServerError, translatePostgresError, UnconfirmedCommit } from "./postgres-errors.ts";

/** Called with the first word of a statement that may or may not have been applied, and the error that lost its result. */
export type UnknownOutcome = (statement: string, cause: unknown) => void;

interface SessionOptions {
  readonly place: SqlPlace;
  readonly canPrepare: boolean;
  /** Milliseconds until a statement is canceled. */
  readonly timeout: number;
  /** Milliseconds until the result of a canceled statement. */
  readonly patience: number;
  /** Asks the server to end the running statement. */
  readonly cancel: () => void;
  readonly onSlow: () => void;
  readonly onUnknownOutcome: UnknownOutcome;
  readonly onRelease: () => void;
}

/** Milliseconds before the first probes of one statement, and before each further one. A probe is a connection. */
const probePauses = [500, 5000];
const lastPause = 30_000;
/** Statements that change nothing, also when their result is lost: a transaction that loses its connection is rolled back. */
const harmless = new Set(["select", "show", "start", "begin", "rollback", "savepoint", "release"]);

/** One connection while it is in use. A broken connection is closed instead of returned to the pool. */
export class PostgresSession {
  readonly #client: PooledClient;
  readonly #options: SessionOptions;
  #broken = false;
  #abandoned = false;
  #released = false;
  #slow: symbol | undefined;
  #abandon: ((error: StoreError) => void) | undefined;
  #unconfirmed: UnconfirmedCommit | undefined;
  readonly #onNotice = (notice: Notice) => {
    this.#unconfirmed ??= UnconfirmedCommit.from(notice);
  };

  constructor(client: PooledClient, options: SessionOptions) {
    this.#client = client;
    this.#options = options;
    client.on("notice", this.#onNotice);
  }

  /** The id of the server process. */
  get pid(): number | null {
    return this.#client.processID;
  }

  /** The running statement, once it takes long. */
  get slowStatement(): symbol | undefined {
    return this.#slow;
  }

  /** With a name, the statement is prepared: parsed and planned once for each connection. */
  query<R>(sql: string, parameters: readonly unknown[], name?: string): Promise<PostgresResult<R>> {
    return traceSql(this.#options.place, sql, parameters, () => this.#query<R>(sql, parameters, name));
  }

  async #query<R>(sql: string, parameters: readonly unknown[], name?: string): Promise<PostgresResult<R>> {
    // the driver would queue it after the abandoned statement
    if (this.#abandoned) throw new StoreError("UNAVAILABLE", { cause: new Error("the connection was abandoned") });
    const started = performance.now();
    let watch: NodeJS.Timeout | undefined;
    const watchAgain = (probes: number) => {
      const left = this.#options.timeout - (performance.now() - started);
      watch = setTimeout(
        () => {
          if (performance.now() - started > this.#options.timeout) {
            watch = this.#cancel();
            return;
          }
          this.#slow ??= Symbol();
          this.#options.onSlow();
          watchAgain(probes + 1);
        },
        Math.min(probePauses[probes] ?? lastPause, left + 1),
      );
    };
    watchAgain(0);
    const statement = name !== undefined && this.#options.canPrepare ? { name, text: sql } : sql;
    try {
      const result = await new Promise<PostgresResult<R>>((resolve, reject) => {
        this.#abandon = reject;
        this.#client
          .query<R>(statement, parameters.map(toPostgresValue))
          .then((given) => resolve(Array.isArray(given) ? given.at(-1) : given), reject); // the last of several statements
      });
      if (this.#unconfirmed !== undefined) throw this.#unconfirmed;
      return result;
    } catch (error) {
      if (!isServerError(error)) this.#broken = true;
      const kind = /[a-z]+/i.exec(sql)?.[0].toLowerCase() ?? "";
      const isHarmless = harmless.has(kind) && error !== this.#unconfirmed; // a function may write in a select
      if (isOutcomeUnknown(error) && !isHarmless) this.#options.onUnknownOutcome(kind, error);
      throw translatePostgresError(error, sql);
    } finally {
      clearTimeout(watch);
      this.#slow = undefined;
      this.#abandon = undefined;
      this.#unconfirmed = undefined;
    }
  }

  /**
   * Ends the running statement at the server too: it might go on for ever, such as a commit without its synchronous
   * standby, which waits without a `statement_timeout`.
   */
  #cancel(): NodeJS.Timeout {
    this.#broken = true; // the request may arrive after the statement, and end the next one
    this.#options.cancel();
    return setTimeout(() => this.abandon(new Error("the statement took too long")), this.#options.patience);
  }

  /** Fails the running statement and marks the connection as broken. */
  abandon(cause: unknown): void {
    this.#broken = true;
    this.#abandoned = true;
    this.#abandon?.(new StoreError("UNAVAILABLE", { cause }));
  }

  release(): void {
    if (this.#released) return;
    this.#released = true;
    this.#client.off("notice", this.#onNotice);
    this.#client.release(this.#broken);
    this.#options.onRelease();
  }
}

/** A date is the same text in any column as on SQLite; the driver would write it with the offset of the process. */
function toPostgresValue(value: unknown): unknown {
  return value instanceof Date ? value.toISOString() : value;
}
