import type { TypeParser } from "./postgres-driver.ts";

/** The parsers of values that would differ from those of SQLite, by the id of the type in PostgreSQL. */
const parsers: ReadonlyMap<number, TypeParser> = new Map<number, TypeParser>([
  [20, toNumber], // int8
  [1082, (text) => text], // date: the driver would make a Date, at midnight in the time zone of the process
  [1114, (text) => toIsoText(`${text}+00`)], // timestamp: in UTC, as dates are written
  [1184, toIsoText], // timestamptz
]);

/** Undefined for a type that the driver reads as it should. */
export function findTypeParser(oid: number): TypeParser | undefined {
  return parsers.get(oid);
}

/** Counts and sums are numbers, as on SQLite; a value beyond 2^53 stays text. */
function toNumber(text: string): number | string {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : text;
}

/** The offset is that of the session's time zone; before about 1900 it may have seconds. */
const time = /^(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)(?:\.(\d+))?([+-])(\d\d)(?::(\d\d))?(?::(\d\d))?$/;

/**
 * `2026-11-17 04:16:31.5+02` → `2026-11-17T02:16:31.500Z`, as `toISOString()` writes it. Microseconds are kept, so that a
 * cursor names its row exactly. What four digits for the year cannot write, such as `infinity`, stays as it is.
 */
function toIsoText(text: string): string {
  const match = time.exec(text);
  if (match === null) return text;
  const [, year, month, day, hour, minute, second, fraction = "", sign, ...offset] = match;
  const digits = fraction.padEnd(3, "0");
  const [hours = 0, minutes = 0, seconds = 0] = offset.map((part) => Number(part ?? 0));
  const shift = (hours * 3600 + minutes * 60 + seconds) * (sign === "-" ? -1000 : 1000);
  if (shift === 0) return `${year}-${month}-${day}T${hour}:${minute}:${second}.${digits}Z`;
  const local = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return `${new Date(local - shift).toISOString().slice(0, -4)}${digits}Z`;
}
