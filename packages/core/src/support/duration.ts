/** Milliseconds, or text such as "500ms", "30s", "5m", "2h", "7d". */
export type Duration = number | `${number}${"ms" | "s" | "m" | "h" | "d"}`;

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
/** Milliseconds, some 30,000 years: a time that is so far from now is still a Date. */
const longest = 1e15;
const grammar = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/;

export const durationCure = 'It takes milliseconds, or a text such as "500ms", "30s", "5m", "2h" or "7d".';

/** Milliseconds, a whole number. Throws a RangeError for anything else; `name` names it in the message. */
export function parseDuration(duration: Duration, name = "the duration"): number {
  const milliseconds = toMilliseconds(duration);
  if (milliseconds !== undefined) return milliseconds;
  throw new RangeError(`${name} is ${JSON.stringify(duration)}. ${durationCure}`);
}

/** Undefined for anything that is not a duration. */
export function toMilliseconds(duration: unknown): number | undefined {
  const [, amount = "", unit = ""] = typeof duration === "string" ? (grammar.exec(duration) ?? []) : [];
  const milliseconds = typeof duration === "number" ? duration : Number(amount || Number.NaN) * (units[unit] ?? 0);
  return milliseconds >= 0 && milliseconds <= longest ? Math.round(milliseconds) : undefined;
}
