/** RFC 3339, 5.6. The offset is required: without one, JavaScript reads the time in the time zone of the server. */
const dateTime =
  /^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3])(:[0-5]\d){2}(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

/** Milliseconds since 1970; undefined when the text is not an RFC 3339 time with an offset, or its day does not exist. */
export function toMilliseconds(text: string): number | undefined {
  const upperCase = text.toUpperCase(); // "t" and "z" are allowed
  const [, year, month, day] = dateTime.exec(upperCase) ?? [];
  if (year === undefined) return undefined;
  // JavaScript reads 30 February as 2 March
  const exists = Number(day) <= new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  return exists ? Date.parse(upperCase) : undefined;
}
