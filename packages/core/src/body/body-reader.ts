import { BindError } from "../support/errors.ts";
import { toBodyError, tooLarge } from "./body-error.ts";

/** Limits of one request. docs/limits.md lists the defaults. */
export interface RequestLimits {
  /** Bytes of a request body. */
  readonly body: number;
  /** How deep JSON may nest. */
  readonly jsonDepth: number;
  readonly queryPairs: number;
  /** Milliseconds for the whole body to arrive, from the first read. */
  readonly bodyTimeout: number;
  /** Fields and files of one form. */
  readonly formParts: number;
  readonly files: number;
  /** Bytes of one file. */
  readonly fileSize: number;
}

export const defaultRequestLimits: RequestLimits = Object.freeze({
  body: 1024 * 1024,
  jsonDepth: 64,
  queryPairs: 1000,
  bodyTimeout: 30_000,
  formParts: 1000,
  files: 20,
  fileSize: 2 ** 31 - 1, // the limit of the body comes first
});

const nothing = new Uint8Array();
const overloaded = "The request bodies that are arriving are larger than limits.bodyBytesTotal.";

/**
 * The memory of all request bodies that did not arrive together with their heads, until their handlers have responded.
 * Past the total, those that have been arriving for the longest time are refused; one body alone may have any size.
 */
export class BodyMemory {
  readonly #total: number;
  /** The oldest comes first. */
  readonly #arriving = new Set<BodyReader>();
  #sum = 0;

  constructor(total: number) {
    this.#total = total;
  }

  /** A body needs so many bytes more. */
  hold(reader: BodyReader, bytes: number): void {
    this.#sum += bytes;
    this.#arriving.add(reader);
    for (const oldest of this.#arriving) {
      if (this.#sum <= this.#total || this.#sum === reader.held) break;
      oldest.fail(toBodyError(503, overloaded));
    }
  }

  /** The body has arrived. */
  complete(reader: BodyReader): void {
    this.#arriving.delete(reader);
  }

  release(reader: BodyReader): void {
    this.#sum -= reader.held;
    this.#arriving.delete(reader);
  }
}

/** Collects a body while it arrives, within its limit and its timeout. */
export class BodyReader {
  readonly result: Promise<Uint8Array>;
  /** Bytes so far. */
  size = 0;
  settled = false;
  /** Whether the whole body was read. */
  complete = false;
  /** Whether the body did not arrive in time. */
  timedOut = false;
  /** Bytes that count in the memory of all bodies. */
  held = 0;
  readonly #limit: number;
  readonly #timer: NodeJS.Timeout;
  #bytes = nothing;
  #sizeSeen = -1;
  #memory: BodyMemory | undefined;
  #resolve!: (body: Uint8Array) => void;
  #reject!: (error: unknown) => void;

  constructor(limit: number, timeout: number, memory?: BodyMemory) {
    this.#limit = limit;
    this.#memory = memory;
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#timer = setTimeout(() => {
      this.timedOut = true;
      this.fail(toBodyError(408));
    }, timeout);
  }

  /** False when the reader takes no more. */
  push(chunk: Uint8Array): boolean {
    if (this.settled) return false;
    const size = this.size + chunk.byteLength;
    if (size > this.#limit) {
      this.fail(tooLarge());
      return false;
    }
    // most bodies are one chunk; further chunks are copied: a million chunks of one byte would take 200 MB
    if (this.size === 0)
      this.#bytes = chunk as Uint8Array<ArrayBuffer>; // no engine passes shared memory
    else {
      if (size > this.#bytes.byteLength) this.#grow(size);
      this.#bytes.set(chunk, this.size);
    }
    this.size = size;
    this.#count();
    return !this.settled;
  }

  end(): void {
    if (this.settled) return;
    this.#finish();
    this.complete = true;
    this.#memory?.complete(this);
    this.#resolve(this.size === this.#bytes.byteLength ? this.#bytes : this.#bytes.subarray(0, this.size));
  }

  fail(error: unknown): void {
    if (this.settled) return;
    this.#finish();
    this.#bytes = nothing;
    this.release();
    this.result.catch(ignore);
    this.#reject(error);
  }

  /** The handler has responded: it needs the body no more. */
  release(): void {
    this.#memory?.release(this);
    this.#memory = undefined;
  }

  /** Whether no byte has arrived since the last call. */
  isStalled(): boolean {
    const stalled = this.size === this.#sizeSeen;
    this.#sizeSeen = this.size;
    return stalled;
  }

  #count(): void {
    const more = this.#bytes.byteLength - this.held;
    this.held += more;
    this.#memory?.hold(this, more);
  }

  #grow(size: number): void {
    const larger = new Uint8Array(Math.min(this.#limit, Math.max(4 * size, 4096)));
    larger.set(this.#bytes.subarray(0, this.size));
    this.#bytes = larger;
  }

  #finish(): void {
    this.settled = true;
    clearTimeout(this.#timer);
  }
}

/** Refuses a content type that cannot be read here. */
export function refuseType(contentType: string): never {
  const message =
    contentType === "" ? "is missing, or has no content type" : `cannot read ${JSON.stringify(contentType)}`;
  throw new BindError([{ path: "", rule: "content-type", message }]);
}

/** Refuses a body before it is read. */
export function refuseBody(error: Error): Promise<never> {
  const refused = Promise.reject(error);
  refused.catch(ignore);
  return refused;
}

/** A handler may read a body without awaiting it: the unhandled rejection would crash the process. */
function ignore(): void {}
