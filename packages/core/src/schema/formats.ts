const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(text: string): boolean {
  return uuid.test(text);
}

/** One spelling for each number: no `+1`, `01`, `.5`, `1e3` or `-0`, which a database would write in another way. */
export const decimalPattern = "^(?:(?:0|-?[1-9][0-9]*)(?:\\.[0-9]+)?|-0\\.0*[1-9][0-9]*)$";

const date = /^(\d{4})-(\d{2})-(\d{2})$/;

/** A day of the calendar: `2026-11-17`, and no 30 February. The year 0 is not one: PostgreSQL cannot hold it. */
export function isDate(text: string): boolean {
  const [, year, month, day] = date.exec(text) ?? [];
  return year !== undefined && isDay(Number(year), Number(month), Number(day));
}

function isDay(year: number, month: number, day: number): boolean {
  if (year < 1 || month < 1 || month > 12 || day < 1) return false;
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = month === 2 ? (leap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31;
  return day <= days;
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

const mediaType = /^[a-z0-9!#$&^_.+-]+\/([a-z0-9!#$&^_.+-]+|\*)$/;

/** `image/png`, or `image/*` for every image. */
export function isMediaRange(text: string): boolean {
  return mediaType.test(text);
}

/** `local@domain.tld`, without quoting and comments. Walks the text once, so that no input makes it slow. */
export function isEmail(text: string): boolean {
  const at = text.lastIndexOf("@");
  const local = text.slice(0, at);
  const domain = text.slice(at + 1);
  if (at < 1 || text.length > 254 || local.length > 64) return false;
  if (!isDotted(local, isLocalCharacter) || !isDotted(domain, isDomainCharacter)) return false;
  const labels = domain.split(".");
  return (
    labels.length > 1 &&
    labels.every((label) => label.length < 64 && !label.startsWith("-") && !label.endsWith("-")) &&
    !/^[0-9]+$/.test(labels.at(-1) as string) // an IP address; there are two labels at least
  );
}

function isDotted(text: string, isCharacter: (code: number) => boolean): boolean {
  let previousDot = true;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    const dot = code === 0x2e;
    if (dot ? previousDot : !isCharacter(code)) return false;
    previousDot = dot;
  }
  return !previousDot;
}

function isLetterOrDigit(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a);
}

/** Beyond ASCII: letters of any script, but no controls, no blanks and nothing that cannot be seen. */
function isInternational(code: number): boolean {
  if (code <= 0xa0 || code === 0xad || code === 0x1680 || code === 0x3000 || code === 0xfeff) return false;
  return (code < 0x2000 || code > 0x206f) && code < 0xfff0;
}

function isLocalCharacter(code: number): boolean {
  return isLetterOrDigit(code) || isInternational(code) || "!#$%&'*+/=?^_`{|}~-".includes(String.fromCharCode(code));
}

function isDomainCharacter(code: number): boolean {
  return isLetterOrDigit(code) || isInternational(code) || code === 0x2d;
}

/** The parser alone would also take `http:host`, blanks around it and line breaks inside it. */
export function isUrl(text: string): boolean {
  return /^https?:\/\//i.test(text) && !/[\s\\\u0000-\u0020]/.test(text) && URL.canParse(text);
}
