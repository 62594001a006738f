import { type SelectQueryBuilder, sql } from "kysely";
import type { Schema } from "../database/schema.ts";
import { type Cursor, isPlaced, rowsFrom } from "./page.ts";

/** Rows whose sizes one statement reads. */
const rowsAtOnce = 100;
/** Bytes of text that one statement reads, unless a single row has more. */
const bytesAtOnce = 64 * 1024;

/** Milliseconds between two parts of lists, for all other requests. */
const gap = 1;

/** Lets long lists read one part at a time in turn, so that many of them do not delay other requests. */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  #taken = false;

  /** Resolves when it is the caller's turn; at once when no other list has just read a part. */
  async next(): Promise<void> {
    if (this.#taken) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#taken = true;
    setImmediate(() => setTimeout(this.#release, gap)); // counted from the end of the work, not from its start
  }

  readonly #release = (): void => {
    const next = this.#waiting.shift();
    this.#taken = next !== undefined;
    next?.();
  };
}

/** Consecutive rows of a list. */
interface Part {
  readonly last: Cursor;
  readonly bytes: number;
}

export interface WholeListOptions<Row, Item> {
  readonly after: Cursor | undefined;
  readonly turns: Turns;
  readonly toItem: (row: Row) => Item;
}

/**
 * Every row of a query, newest first, from short statements: a slow reader holds neither a connection nor a snapshot,
 * and only one small part of the list is in memory. Rows created meanwhile would come before the first one and are not
 * included. Not a generator, because a generator keeps the last row that it yielded.
 */
export class WholeList<Row, Item> implements AsyncIterableIterator<Item> {
  readonly #query: SelectQueryBuilder<Schema, "posts", Row>;
  readonly #turns: Turns;
  readonly #toItem: (row: Row) => Item;
  #start: Cursor | undefined;
  /** Planned, but not read yet. */
  readonly #parts: Part[] = [];
  #rows: Row[] = [];
  #hasMore = true;
  #isLong = false;

  constructor(query: SelectQueryBuilder<Schema, "posts", Row>, { after, turns, toItem }: WholeListOptions<Row, Item>) {
    this.#query = query;
    this.#start = after;
    this.#turns = turns;
    this.#toItem = toItem;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Item>> {
    for (;;) {
      const row = this.#rows.shift();
      if (row !== undefined) return { done: false, value: this.#toItem(row) };
      const part = this.#parts.shift();
      if (part !== undefined) await this.#read(part);
      else if (this.#hasMore) await this.#plan();
      else return { done: true, value: undefined };
    }
  }

  /** A short list, as most are, waits for no turn. */
  async #read({ last, bytes }: Part): Promise<void> {
    if (this.#isLong || bytes > bytesAtOnce) await this.#turns.next();
    this.#isLong = true;
    const rows = await rowsFrom(this.#query, this.#start).where(isPlaced(">=", last)).execute();
    this.#rows = rows as Row[]; // Kysely spells the same type differently
    this.#start = last;
  }

  /** Splits the next rows so that no part is large. */
  async #plan(): Promise<void> {
    const rows = await rowsFrom(this.#query, this.#start)
      .clearSelect()
      .select(["posts.created_at", "posts.id"])
      .select(sql<number>`octet_length(posts.title) + octet_length(posts.content)`.as("bytes"))
      .limit(rowsAtOnce)
      .execute();
    let bytes = 0;
    for (const [index, { created_at, id, bytes: size }] of rows.entries()) {
      bytes += size;
      const next = rows[index + 1];
      if (next !== undefined && bytes + next.bytes <= bytesAtOnce) continue;
      this.#parts.push({ last: { created_at, id }, bytes });
      bytes = 0;
    }
    this.#hasMore = rows.length === rowsAtOnce;
  }
}
