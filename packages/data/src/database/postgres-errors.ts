import { type ConstraintKind, StoreError } from "../store-error.ts";
import { MissingTable } from "./missing-table.ts";
import type { Notice } from "./postgres-driver.ts";

// https://www.postgresql.org/docs/current/errcodes-appendix.html
const constraints: ReadonlyMap<string, ConstraintKind> = new Map([
  ["23502", "not null"],
  ["23503", "foreign key"],
  ["23505", "unique"],
  ["23514", "check"],
]);
const undefinedTable = "42P01";
const unavailableClasses = new Set(["08", "53", "57", "58"]);
const unavailableCodes = new Set(["40001", "40P01", "55P03"]);
/** A connection to a server that is, or has become, a standby: another connection may reach the primary. */
const readOnly = "25006";

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}

/** Whether the server sent the error, which shows that it is running. */
export function hasSqlState(error: unknown): boolean {
  return /^[0-9A-Z]{5}$/.test(codeOf(error)) && codeOf(error) !== "EPIPE";
}

/** An error of the statement, not of the connection, which can be used again. */
export function isServerError(error: unknown): boolean {
  const code = codeOf(error);
  return /^[0-9A-Z]{5}$/.test(code) && !unavailableClasses.has(code.slice(0, 2)) && code !== readOnly;
}

/** The server, the role or a pooler is at its connection limit. It is running, and a connection may be free soon. */
export function isTooManyConnections(error: unknown): boolean {
  return codeOf(error) === "53300" || isProtocolError(error, /^no more connections allowed/);
}

/** A pooler refuses settings of a connection, because it gives the same connection to other clients. */
export function isRefusedByPooler(error: unknown): boolean {
  return isProtocolError(error, /^unsupported startup parameter/);
}

/** PgBouncer has one code for all its errors. */
function isProtocolError(error: unknown, message: RegExp): boolean {
  return codeOf(error) === "08P01" && error instanceof Error && message.test(error.message);
}

const invalidValues = new Set(["22P02", "22003", "22007", "22008"]);

/** Whether a parameter has a value that the type of its column does not allow, such as a text for a number. */
export function isInvalidValue(error: unknown): boolean {
  return error instanceof StoreError && invalidValues.has(codeOf(error.cause));
}

/**
 * The connection was lost or abandoned after the statement was sent and before its result arrived. A pooler that loses
 * its connection to the server reports it with a code of class 08.
 */
export function isOutcomeUnknown(error: unknown): boolean {
  const wasSent = !(error instanceof Error && error.message.endsWith("is not queryable")); // the driver's message
  return wasSent && (!hasSqlState(error) || codeOf(error).startsWith("08"));
}

/**
 * The server was told to wait no longer for its synchronous standby. It has committed, and reports success, but the
 * standby may not have the transaction: a failover would lose it.
 */
export class UnconfirmedCommit extends Error {
  static from({ routine, message }: Notice): UnconfirmedCommit | undefined {
    if (routine !== "SyncRepWaitForLSN") return undefined;
    return new UnconfirmedCommit(`no standby has confirmed the commit: ${message}`);
  }
}

/** `sql` is the statement that failed. */
export function translatePostgresError(error: unknown, sql?: string): StoreError {
  if (error instanceof StoreError) return error;
  const code = codeOf(error);
  const constraint = constraints.get(code);
  if (code.startsWith("23") && code.length === 5) {
    const columns = columnsIn(error, constraint);
    const kind = constraint === undefined ? {} : { constraint };
    return new StoreError("CONSTRAINT", { cause: error, columns, sql, ...kind });
  }
  if (code === undefinedTable && error instanceof Error) {
    const table = /"([^"]+)"/.exec(error.message)?.[1] ?? "of this statement"; // servers in other languages quote otherwise
    return new StoreError("FAILED", { cause: new MissingTable(table, error), sql });
  }
  const unavailable = !isServerError(error) || unavailableCodes.has(code);
  return new StoreError(unavailable ? "UNAVAILABLE" : "FAILED", { cause: error, sql });
}

function columnsIn(error: unknown, constraint: ConstraintKind | undefined): string[] {
  if (!(error instanceof Error)) return [];
  if (constraint === "not null") return "column" in error && typeof error.column === "string" ? [error.column] : [];
  if (constraint !== "unique" || !("detail" in error) || typeof error.detail !== "string") return [];
  return columnsOfKey(error.detail);
}

const columnName = /^(?:"((?:[^"]|"")+)"|([\p{L}_][\p{L}\p{N}_$]*))(?:, |$)/u;

/**
 * `Key (email, "Odd")=(a, b) already exists.` → `email`, `Odd`; the words around the key depend on the server's language.
 * Empty for an index on expressions, as on SQLite.
 */
function columnsOfKey(detail: string): string[] {
  let rest = /\((.*?)\)=\(/s.exec(detail)?.[1] ?? "";
  const columns: string[] = [];
  while (rest !== "") {
    const match = columnName.exec(rest);
    if (match === null) return [];
    columns.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? "");
    rest = rest.slice(match[0].length);
  }
  return columns;
}
