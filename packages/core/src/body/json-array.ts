import { setImmediate as turn } from "node:timers/promises";
import { toJson } from "./json.ts";
import { type Source, toSource } from "./stream.ts";

/** Characters after which a chunk is sent. An array that is shorter is sent whole, with its length. */
const chunkLength = 65_536;
/** Milliseconds after which a chunk ends, so that other requests are handled: rows may always be ready. */
const chunkTime = 0.5;
/** Rows between two looks at the clock. */
const rowsAtOnce = 16;

/**
 * Rows as one JSON array, written while they are read and no faster than the client reads. Made by `jsonArray()`.
 * Not a generator, for the same reason as `Chunks`: a client that leaves early must stop the source.
 */
export class JsonArray<Row = unknown> implements AsyncIterableIterator<string> {
  /** For inference only. */
  declare readonly row: Row;
  readonly #source: Source;
  #select = (row: unknown, _index: number): unknown => row;
  #watch: ((row: unknown, index: number) => void) | undefined;
  #count = 0;
  #ended = false;
  #first: string | undefined;
  #hasBegun = false;

  constructor(rows: AsyncIterable<Row>) {
    this.#source = toSource(rows);
  }

  /** Writes the return value of this function instead of each row. */
  select(select: (row: unknown, index: number) => unknown): void {
    this.#select = select;
  }

  /** Calls this function with each row before it is selected and written. */
  watch(watch: (row: unknown, index: number) => void): void {
    this.#watch = watch;
  }

  /** Reads the first chunk: the whole text of a short array, or else this stream. An error here is still a 500. */
  async begin(): Promise<string | this> {
    const first = await this.#read();
    if (this.#ended) return first;
    this.#first = first;
    this.#hasBegun = true;
    return this;
  }

  async next(): Promise<IteratorResult<string>> {
    const first = this.#first;
    this.#first = undefined;
    if (first !== undefined) return { done: false, value: first };
    if (this.#ended) return { done: true, value: undefined };
    return { done: false, value: await this.#read() };
  }

  async return(): Promise<IteratorResult<string>> {
    this.#ended = true;
    await this.#source.stop();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async #read(): Promise<string> {
    let text = "";
    let end = performance.now() + chunkTime;
    try {
      for (let rows = 1; text.length < chunkLength; rows++) {
        const step = await this.#source.next();
        if (step.done === true) {
          this.#ended = true;
          return `${text}${this.#count === 0 ? "[" : ""}]`;
        }
        this.#watch?.(step.value, this.#count);
        const selected = this.#select(step.value, this.#count);
        const row = selected instanceof Promise ? await selected : selected;
        text += (this.#count === 0 ? "[" : ",") + toJson(row);
        this.#count++;
        if (rows % rowsAtOnce !== 0 || performance.now() < end) continue;
        if (this.#hasBegun) break; // the server decides when it reads on
        await turn();
        end = performance.now() + chunkTime;
      }
      return text;
    } catch (error) {
      await this.return();
      throw error;
    }
  }
}

/**
 * Sends rows as one JSON array without holding all of them in memory: `return jsonArray(posts.all())`.
 * When a row fails after the response has begun, the connection is cut, so that no client takes a part for the whole.
 */
export function jsonArray<Row>(rows: AsyncIterable<Row>): JsonArray<Row> {
  return new JsonArray(rows);
}
