/** Bytes that may wait for the reader before the engine pauses its socket. */
const maxWaiting = 64 * 1024;

/** A body between an engine, which pushes its chunks, and one reader, which takes them: few are in memory at a time. */
export class BodyQueue {
  readonly timedOut = false;
  /** Whether the whole body has arrived. */
  complete = false;
  readonly #resume: () => void;
  readonly #chunks: Uint8Array[] = [];
  #bytes = 0;
  #size = 0;
  #sizeSeen = -1;
  #error: unknown;
  #reader: PromiseWithResolvers<IteratorResult<Uint8Array, undefined>> | undefined;

  /** `resume` is called when the queue has room again. */
  constructor(resume: () => void) {
    this.#resume = resume;
  }

  /** False when the engine should pause. */
  push(chunk: Uint8Array): boolean {
    if (this.#error !== undefined) return true; // the rest is dropped
    this.#size += chunk.byteLength;
    if (this.#reader !== undefined) {
      this.#reader.resolve({ done: false, value: chunk });
      this.#reader = undefined;
      return true;
    }
    this.#chunks.push(chunk);
    this.#bytes += chunk.byteLength;
    return this.#bytes < maxWaiting;
  }

  end(): void {
    if (this.#error !== undefined) return;
    this.complete = true;
    this.#reader?.resolve({ done: true, value: undefined });
  }

  fail(error: unknown): void {
    if (this.complete || this.#error !== undefined) return;
    this.#error = error;
    this.#chunks.length = 0;
    this.#reader?.reject(error);
  }

  /** The handler has responded: a stream that it left behind must not wait for the rest. */
  release(): void {
    this.fail(new Error("The handler has responded before the body was read."));
  }

  /** Whether no byte has arrived since the last call, although the reader waits for one. */
  isStalled(): boolean {
    const stalled = this.#size === this.#sizeSeen && this.#chunks.length === 0;
    this.#sizeSeen = this.#size;
    return stalled;
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (this.#error !== undefined) throw this.#error;
    const chunk = this.#chunks.shift();
    if (chunk !== undefined) {
      this.#bytes -= chunk.byteLength;
      if (this.#bytes < maxWaiting && !this.complete) this.#resume();
      return { done: false, value: chunk };
    }
    if (this.complete) return { done: true, value: undefined };
    this.#reader = Promise.withResolvers();
    return this.#reader.promise;
  }
}
