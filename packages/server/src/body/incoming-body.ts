import type { BodyMemory } from "./body-memory.ts";
import { boundedChunks, type ToBodyError, tooLarge } from "./bounded-chunks.ts";
import { BodyLeft } from "./stream.ts";

/** Bytes that may wait for the reader before the transport pauses. */
const maxWaiting = 64 * 1024;
/** About what a chunk takes besides its bytes. */
const perChunk = 128;

/** Where the bytes of a body come from. */
export interface BodySource {
  /** Called once, when the reader needs bytes that have not arrived. A stream has a timeout for each chunk. */
  start(isStream: boolean): void;
  /** Called when there is room again. */
  resume(): void;
}

/**
 * A request body between a transport, which pushes its bytes, and one reader, which takes them whole or as a stream. What
 * is read whole counts in the memory of all bodies until the handler has responded.
 */
export class IncomingBody {
  /** Whether the whole body has arrived. */
  complete = false;
  /** Whether a reader takes it. */
  wasRead = false;
  /** Whether it did not arrive in time. */
  timedOut = false;
  /** Bytes that count in the memory of all bodies. */
  held = 0;
  readonly #declared: number | undefined;
  readonly #source: BodySource;
  readonly #toError: ToBodyError;
  readonly #memory: BodyMemory;
  #error: Error | undefined;
  /** Bytes that have arrived and are not read: chunks, or the beginning of a body that is read whole. */
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #size = 0;
  #sizeSeen = -1;
  #limit = Number.POSITIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #whole: PromiseWithResolvers<Uint8Array> | undefined;
  #next: PromiseWithResolvers<IteratorResult<Uint8Array, undefined>> | undefined;
  #isReleased = false;

  /** `declared` is its length, undefined for a body in chunks. */
  constructor(declared: number | undefined, source: BodySource, memory: BodyMemory, toError: ToBodyError) {
    this.#declared = declared;
    this.#source = source;
    this.#memory = memory;
    this.#toError = toError;
  }

  get failed(): boolean {
    return this.#error !== undefined;
  }

  /** False when the transport should pause: there is no room, or the body was refused. */
  push(bytes: Uint8Array): boolean {
    if (this.#isReleased && !this.wasRead) return true;
    if (this.#error !== undefined) return false;
    this.#size += bytes.byteLength;
    if (this.#size > this.#limit) this.fail(this.#toError(413, tooLarge));
    else if (this.#whole !== undefined) this.#collect(bytes);
    else if (this.#next !== undefined) {
      this.#next.resolve({ done: false, value: bytes });
      this.#next = undefined;
    } else {
      // a small part would keep the whole packet in memory
      this.#waiting.push(2 * bytes.byteLength < bytes.buffer.byteLength ? Buffer.from(bytes) : bytes);
      this.#waitingBytes += bytes.byteLength + perChunk;
      return this.#waitingBytes < maxWaiting;
    }
    return this.#error === undefined;
  }

  end(): void {
    if (this.#error !== undefined) return;
    this.complete = true;
    clearTimeout(this.#timer);
    this.#memory.arrived(this);
    this.#whole?.resolve(this.#joined());
    this.#next?.resolve({ done: true, value: undefined });
  }

  /** The rest will not arrive, or is not wanted. */
  fail(error: Error): void {
    if (this.complete || this.#error !== undefined) return;
    this.#error = error;
    this.#waiting = [];
    clearTimeout(this.#timer);
    this.#memory.release(this);
    this.#whole?.promise.catch(ignore);
    this.#whole?.reject(error);
    this.#next?.reject(error);
  }

  /** The whole body; at once where it has arrived. */
  read(limit: number, timeout: number): Uint8Array | Promise<Uint8Array> {
    const { complete } = this;
    this.wasRead = true;
    if ((complete ? this.#size : (this.#declared ?? 0)) > limit) this.#error ??= this.#toError(413, tooLarge);
    if (this.#error !== undefined) return refuseBody(this.#error);
    if (complete) return this.#joined();
    this.#limit = this.#declared ?? limit;
    const arrived = this.#waiting;
    const whole = Promise.withResolvers<Uint8Array>();
    this.#whole = whole;
    this.#waiting = [];
    this.#size = 0;
    this.#timer = setTimeout(() => {
      this.timedOut = true;
      this.fail(this.#toError(408));
    }, timeout);
    for (const bytes of arrived) this.push(bytes);
    if (this.#error === undefined) this.#source.start(false);
    return whole.promise;
  }

  /** The body while it arrives. */
  stream(limit: number, timeout: number): AsyncGenerator<Uint8Array, void> {
    this.wasRead = true;
    if (!this.complete && this.#error === undefined && (this.#declared ?? 0) <= limit) this.#source.start(true);
    const toError: ToBodyError = (status, detail) => {
      this.timedOut ||= status === 408;
      return this.#toError(status, detail);
    };
    return boundedChunks({ next: () => this.#take() }, { declared: this.#declared, limit, timeout }, toError);
  }

  /** The handler has responded. A stream that it left must not wait for the rest, and bytes that nothing has read are dropped. */
  release(): void {
    this.#isReleased = true;
    this.#memory.release(this);
    if (!this.wasRead) this.#waiting = [];
    else if (this.#whole === undefined) this.fail(new BodyLeft("The handler has responded before the body was read."));
  }

  /** Whether no byte has arrived since the last call, although the reader waits for one. */
  isStalled(): boolean {
    const isWaiting = this.wasRead && !this.complete && (this.#whole !== undefined || this.#waiting.length === 0);
    const stalled = isWaiting && this.#size === this.#sizeSeen;
    this.#sizeSeen = this.#size;
    return stalled;
  }

  async #take(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (this.#error !== undefined) throw this.#error;
    const chunk = this.#waiting.shift();
    if (chunk !== undefined) {
      this.#waitingBytes -= chunk.byteLength + perChunk;
      if (this.#waitingBytes < maxWaiting && !this.complete) this.#source.resume();
      return { done: false, value: chunk };
    }
    if (this.complete) return { done: true, value: undefined };
    this.#next = Promise.withResolvers();
    return this.#next.promise;
  }

  /** Most bodies are one chunk. Further ones are copied: a million chunks of one byte would take 200 MB. */
  #collect(bytes: Uint8Array): void {
    const [buffer = bytes] = this.#waiting;
    const used = this.#size - bytes.byteLength;
    if (this.#size > buffer.byteLength) {
      const larger = new Uint8Array(Math.min(this.#limit, Math.max(4 * this.#size, 4096)));
      larger.set(buffer.subarray(0, used));
      this.#waiting[0] = larger;
    } else this.#waiting[0] = buffer;
    if (used > 0) this.#waiting[0].set(bytes, used);
    if (!this.#isReleased) this.#memory.hold(this, this.#waiting[0].byteLength);
  }

  #joined(): Uint8Array {
    const [first] = this.#waiting;
    return this.#waiting.length > 1
      ? Buffer.concat(this.#waiting)
      : (first?.subarray(0, this.#size) ?? new Uint8Array());
  }
}

/** Refuses a body before it is read. */
export function refuseBody(error: Error): Promise<never> {
  const refused = Promise.reject(error);
  refused.catch(ignore);
  return refused;
}

/** A handler may read a body without awaiting it: the unhandled rejection would crash the process. */
function ignore(): void {}
