import { toJson } from "./json.ts";
import { type Source, toSource } from "./stream.ts";

/** Characters after which a chunk is sent. An array that is shorter is sent whole, with its length. */
const chunkLength = 65_536;

/**
 * Rows as one JSON array, written while they are read and no faster than the client reads. Made by `jsonArray()`.
 * Not a generator, for the same reason as `Chunks`: a client that leaves early must stop the source.
 */
export class JsonArray<Row = unknown> implements AsyncIterableIterator<string> {
  /** For inference only. */
  declare readonly row: Row;
  readonly #source: Source;
  #select = (row: unknown): unknown => row;
  #watch: ((row: unknown) => void) | undefined;
  #next = "[";
  #ended = false;
  #opened: string | undefined;

  constructor(rows: AsyncIterable<Row>) {
    this.#source = toSource(rows);
  }

  /** Writes what this function returns in the place of each row. */
  select(select: (row: unknown) => unknown): void {
    this.#select = select;
  }

  /** Calls this function with each row that is written. */
  watch(watch: (row: unknown) => void): void {
    this.#watch = watch;
  }

  /** Reads the first chunk: the whole text of a short array, or else this stream. A failure here is still a 500. */
  async open(): Promise<string | this> {
    const first = await this.#read();
    if (this.#ended) return first;
    this.#opened = first;
    return this;
  }

  async next(): Promise<IteratorResult<string>> {
    const opened = this.#opened;
    this.#opened = undefined;
    if (opened !== undefined) return { done: false, value: opened };
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
    try {
      while (text.length < chunkLength) {
        const step = await this.#source.next();
        if (step.done === true) {
          this.#ended = true;
          return `${text}${this.#next === "[" ? "[" : ""}]`;
        }
        const selected = this.#select(step.value);
        const row = selected instanceof Promise ? await selected : selected;
        this.#watch?.(row);
        text += this.#next + toJson(row);
        this.#next = ",";
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
