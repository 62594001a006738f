/** Converts an application's seconds to milliseconds. Throws unless they are a positive number. */
export function toMilliseconds(ttl: number | undefined): number | undefined {
  if (ttl === undefined) return undefined;
  if (!(ttl > 0) || !Number.isFinite(ttl))
    throw new RangeError(`ttl is ${ttl}. It takes a number of seconds above zero.`);
  return Math.ceil(ttl * 1000);
}
