import { type ConstraintKind, StoreError } from "../store-error.ts";
import { MissingTable } from "./missing-table.ts";

// https://sqlite.org/rescode.html
const primary = {
  BUSY: 5,
  LOCKED: 6,
  READONLY: 8,
  IOERR: 10,
  FULL: 13,
  CANTOPEN: 14,
  CONSTRAINT: 19,
  NOTADB: 26,
} as const;
const unavailable: ReadonlySet<number> = new Set([
  primary.BUSY,
  primary.LOCKED,
  primary.READONLY,
  primary.IOERR,
  primary.FULL,
  primary.CANTOPEN,
  primary.NOTADB,
]);
const constraints: ReadonlyMap<number, ConstraintKind> = new Map([
  [275, "check"],
  [787, "foreign key"],
  [1299, "not null"],
  [1555, "unique"],
  [2067, "unique"],
  [2579, "unique"],
]);

function codeOf(error: unknown): number {
  return error instanceof Error && "errcode" in error && typeof error.errcode === "number" ? error.errcode : 0;
}

export function isBusy(error: unknown): boolean {
  const code = codeOf(error) & 0xff;
  return code === primary.BUSY || code === primary.LOCKED;
}

/** `sql` is the statement that failed. */
export function translateSqliteError(error: unknown, sql?: string): StoreError {
  if (error instanceof StoreError) return error;
  const code = codeOf(error);
  if ((code & 0xff) === primary.CONSTRAINT) {
    const constraint = constraints.get(code);
    const columns = columnsIn(error);
    const kind = constraint === undefined ? {} : { constraint };
    return new StoreError("CONSTRAINT", { cause: error, columns, sql, ...kind });
  }
  const table = error instanceof Error ? /^no such table: (.+)$/s.exec(error.message)?.[1] : undefined;
  if (table !== undefined) return new StoreError("FAILED", { cause: new MissingTable(table, error), sql });
  const isSystemError = error instanceof Error && "syscall" in error;
  const isUnavailable = unavailable.has(code & 0xff) || isSystemError;
  return new StoreError(isUnavailable ? "UNAVAILABLE" : "FAILED", { cause: error, sql });
}

/** `UNIQUE constraint failed: users.email, users.tenant` → `email`, `tenant`. An index on expressions has no columns there. */
function columnsIn(error: unknown): string[] {
  const list = error instanceof Error ? /^(?:UNIQUE|NOT NULL) constraint failed: (.+)$/s.exec(error.message)?.[1] : "";
  if (!list || list.startsWith("index ")) return [];
  const names = list.split(", ");
  const table = names[0]?.slice(0, names[0].lastIndexOf(".") + 1) ?? "";
  return names.map((name) => name.slice(table.length));
}
