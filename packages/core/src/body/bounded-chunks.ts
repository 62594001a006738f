import { endsWithin } from "../support/ends-within.ts";
import { HttpError } from "../support/errors.ts";
import { toBodyError, tooLarge } from "./body-error.ts";

/** Where the chunks of a body come from. */
export interface ChunkSource {
  next(): Promise<IteratorResult<Uint8Array, unknown>>;
  /** Called when no more is read. Not awaited: a source that waits for its client would hold up the response. */
  stop?(): unknown;
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

/** The chunks of a body while it arrives. Throws an HttpError past the limit, for a slow client and for one that leaves. */
export async function* boundedChunks(source: ChunkSource, limits: ChunkLimits): AsyncGenerator<Uint8Array, void> {
  const { declared = 0, limit, timeout } = limits;
  let [size, arrived, waited] = [0, 0, 0];
  try {
    if (declared > limit) throw tooLarge();
    for (;;) {
      const start = performance.now();
      const next = source.next().catch(toBadRequest);
      if (!(await endsWithin(next, timeout))) throw toBodyError(408);
      const step = await next;
      if (step.done === true) return;
      size += step.value.byteLength;
      if (size > limit) throw tooLarge();
      arrived += step.value.byteLength;
      waited += performance.now() - start;
      if (waited > timeout) {
        if (arrived < waited * leastRate) throw toBodyError(408);
        [arrived, waited] = [0, 0];
      }
      yield step.value;
    }
  } finally {
    void Promise.try(() => source.stop?.()).catch(() => {});
  }
}

function toBadRequest(error: unknown): never {
  throw error instanceof HttpError ? error : toBodyError(400, error);
}
