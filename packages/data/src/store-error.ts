import { HttpError } from "@tenon/core";

/** The only messages that a client may read about a store. */
export const storeMessages = {
  NOT_FOUND: "record not found",
  CONSTRAINT: "constraint violation",
  UNAVAILABLE: "store unavailable",
  FAILED: "store failure",
} as const;

export type StoreCode = keyof typeof storeMessages;
export type ConstraintKind = "unique" | "foreign key" | "not null" | "check";

export interface StoreErrorOptions {
  readonly cause?: unknown;
  readonly constraint?: ConstraintKind;
  readonly columns?: readonly string[];
  /** The statement of a database, with placeholders. */
  readonly sql?: string | undefined;
}

/**
 * An error of any store: 503 with `Retry-After` while it is unavailable, else 500. The driver's error is the `cause`; this
 * and the statement are for the log only.
 */
export class StoreError extends HttpError {
  override readonly name = "StoreError";
  readonly code: StoreCode;
  /** The kind of the violated constraint, where the driver reports it. */
  readonly constraint: ConstraintKind | undefined;
  /** The columns of a violated unique or not-null constraint, without their table; empty where the driver names none. */
  readonly columns: readonly string[];
  /** The statement that failed, with placeholders; undefined where there was none. */
  declare readonly sql: string | undefined;

  constructor(code: StoreCode, options: StoreErrorOptions = {}) {
    const { cause } = options;
    if (code === "UNAVAILABLE") super(503, storeMessages[code], { cause, headers: { "retry-after": "1" } });
    else super(500, storeMessages[code], { cause });
    this.code = code;
    this.constraint = options.constraint;
    this.columns = options.columns ?? [];
    // like the cause, so that no copy of the error into a response has it
    Object.defineProperty(this, "sql", { value: options.sql, enumerable: false });
  }

  /** What the log has of this error, except in production. */
  get development(): { readonly sql: string } | undefined {
    return this.sql === undefined ? undefined : { sql: this.sql };
  }
}

/** Whether a unique value already exists: an application usually responds with 409. */
export function isUniqueViolation(error: unknown): error is StoreError & { readonly constraint: "unique" } {
  return error instanceof StoreError && error.constraint === "unique";
}
