import { endsWithin } from "./ends-within.ts";

/** Makes the error that a handler gets instead of a body: 400, 408, 413 or 503. */
export type ToBodyError = (status: number, detail?: unknown) => Error;

/** Where the chunks of a body come from. */
export interface ChunkSource {
  next(): Promise<IteratorResult<Uint8Array, unknown>>;
  /** Called when no more is read. */
  stop?(): void;
}

export interface ChunkLimits {
  /** The length that the head declares. */
  readonly declared: number | undefined;
  /** Bytes of the whole body. */
  readonly limit: number;
  /** Milliseconds to wait for a chunk. The time in which the reader is busy does not count. */
  readonly timeout: number;
}

/** A client that sends less than a byte per millisecond on average, over a whole timeout, is too slow. */
const leastRate = 1;

export const tooLarge = "The body is larger than limits.body, or than bodyLimit() allows.";

/** The chunks of a body while it arrives. Throws past the limit, for a slow client, and what the source throws. */
export async function* boundedChunks(
  source: ChunkSource,
  limits: ChunkLimits,
  toError: ToBodyError,
): AsyncGenerator<Uint8Array, void> {
  const { declared = 0, limit, timeout } = limits;
  let [size, arrived, waited] = [0, 0, 0];
  try {
    if (declared > limit) throw toError(413, tooLarge);
    for (;;) {
      const start = performance.now();
      const next = source.next();
      if (!(await endsWithin(next, timeout))) throw toError(408);
      const step = await next;
      if (step.done === true) return;
      size += step.value.byteLength;
      if (size > limit) throw toError(413, tooLarge);
      arrived += step.value.byteLength;
      waited += performance.now() - start;
      if (waited > timeout) {
        if (arrived < waited * leastRate) throw toError(408);
        [arrived, waited] = [0, 0];
      }
      yield step.value;
    }
  } finally {
    source.stop?.();
  }
}
