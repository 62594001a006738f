import { toJson } from "./json.ts";

export type Chunk = string | Uint8Array;

const octets = "application/octet-stream";

/**
 * A response stream. Not a generator: one that has not started, or that waits, does not pass `return()` on,
 * and after a HEAD request or a disconnect the source would stay open.
 */
export class Chunks implements AsyncIterableIterator<Chunk> {
  readonly #source: Source;
  #first: Promise<IteratorResult<Chunk>> | undefined;
  #type: string | undefined;

  constructor(stream: AsyncIterable<unknown>) {
    this.#source = toSource(stream);
  }

  /** Waits for the first chunk: it determines the content type, and a stream that fails here is still a 500. */
  async begin(): Promise<this> {
    this.#first = this.#read();
    await this.#first;
    return this;
  }

  /** Known once the stream has begun. */
  get type(): string {
    return this.#type ?? octets;
  }

  next(): Promise<IteratorResult<Chunk>> {
    const first = this.#first;
    this.#first = undefined;
    return first ?? this.#read();
  }

  async return(): Promise<IteratorResult<Chunk>> {
    await this.#source.stop();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async #read(): Promise<IteratorResult<Chunk>> {
    const step = await this.#source.next();
    if (step.done === true) return { done: true, value: undefined };
    this.#type ??= typeOf(step.value);
    try {
      return { done: false, value: toChunk(step.value) };
    } catch (error) {
      await this.#source.stop();
      throw error;
    }
  }
}

export interface Source {
  readonly next: () => PromiseLike<{ readonly done?: boolean | undefined; readonly value?: unknown }>;
  readonly stop: () => unknown;
}

/** The iterators of Node and web streams stop only between two chunks; `destroy()` and `cancel()` stop a silent one too. */
export function toSource(stream: AsyncIterable<unknown>): Source {
  if ("getReader" in stream) {
    const reader = (stream as ReadableStream).getReader(); // only a web stream has this method and an async iterator
    return { next: () => reader.read(), stop: () => reader.cancel() };
  }
  const iterator = stream[Symbol.asyncIterator]();
  const next = () => iterator.next();
  if ("destroy" in stream && typeof stream.destroy === "function") {
    const destroy = stream.destroy.bind(stream);
    return { next, stop: () => destroy() };
  }
  return { next, stop: () => iterator.return?.() };
}

/** Text and bytes pass as they are; any other value becomes one line of JSON. */
export function toChunk(value: unknown): Chunk {
  if (typeof value === "string" || value instanceof Uint8Array) return value;
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  return `${toJson(value)}\n`;
}

function typeOf(value: unknown): string {
  if (typeof value === "string") return "text/plain; charset=utf-8";
  return value instanceof Uint8Array || value instanceof ArrayBuffer ? octets : "application/x-ndjson";
}
