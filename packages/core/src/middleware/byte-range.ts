/** From `start` up to and without `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

const single = /^bytes=([0-9]{0,15})-([0-9]{0,15})$/i;

/** What a `Range` header asks of `size` bytes. Undefined: all of them, also for several ranges or what cannot be read. */
export function parseRange(header: string, size: number): ByteRange | "unsatisfiable" | undefined {
  const [, first = "", last = ""] = single.exec(header) ?? [];
  if (first === "" && last === "") return undefined;
  if (first === "") {
    const length = Math.min(Number(last), size);
    return length === 0 ? "unsatisfiable" : { start: size - length, end: size };
  }
  const start = Number(first);
  const end = last === "" ? size : Math.min(Number(last) + 1, size);
  if (last !== "" && Number(last) < start) return undefined;
  return start >= size ? "unsatisfiable" : { start, end };
}
