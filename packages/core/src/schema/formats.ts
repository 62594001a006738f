const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(text: string): boolean {
  return uuid.test(text);
}

/** One spelling for each number: no `+1`, `01`, `.5`, `1e3` or `-0`, which a database would write in another way. */
export const decimalPattern = "^(?:(?:0|-?[1-9][0-9]*)(?:\\.[0-9]+)?|-0\\.0*[1-9][0-9]*)$";

/** A day of the calendar: `2026-11-17`, and no 30 February. The year 0 is not one: PostgreSQL cannot hold it. */
export function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || text < "0001") return false;
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text); // 30 February is 2 March to some engines
}

const timestamp = /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i;

/** RFC 3339, section 5.6, with its offset. Undefined for other text, and for leap seconds, which a Date cannot hold. */
export function parseTimestamp(text: string): Date | undefined {
  const [, day] = timestamp.exec(text) ?? [];
  if (day === undefined || !isDate(day)) return undefined;
  const value = new Date(text.toUpperCase()); // `t` and `z` are valid in the RFC, but not for every engine
  return isWritable(value) ? value : undefined;
}

/** Whether `toISOString()` gives an RFC 3339 timestamp, which has four digits for the year. Not the year 0, as above. */
export function isWritable(value: Date): boolean {
  const year = value.getUTCFullYear(); // NaN for an invalid date
  return year >= 1 && year <= 9999;
}

/** Beyond ASCII: letters of any script, but no controls, no blanks and nothing that cannot be seen. */
const international = "\\u00a1-\\u00ac\\u00ae-\\u167f\\u1681-\\u1fff\\u2070-\\u2fff\\u3001-\\ufefe\\uff00-\\uffef";
const atom = `[\\w!#$%&'*+/=?^\`{|}~${international}-]+`;
const label = `(?!-)[0-9A-Za-z${international}-]{1,63}(?<!-)`;
// no part holds the dot that follows it, so that no input makes it slow; an IP address ends in digits
const address = new RegExp(`^${atom}(?:\\.${atom})*@(?:${label}\\.)+(?![0-9]+$)${label}$`);

/** `local@domain.tld`, without quoting and comments. */
export function isEmail(text: string): boolean {
  return text.length <= 254 && text.lastIndexOf("@") <= 64 && address.test(text);
}

/** The parser alone would also take `http:host`, blanks around it and line breaks inside it. */
export function isUrl(text: string): boolean {
  return /^https?:\/\//i.test(text) && !/[\s\\\u0000-\u0020]/.test(text) && URL.canParse(text);
}
