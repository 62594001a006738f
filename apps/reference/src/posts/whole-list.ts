import { type SelectQueryBuilder, sql } from "kysely";
import type { Schema } from "../database/schema.ts";
import { type Cursor, isPlaced, rowsFrom } from "./page.ts";

/** Rows whose sizes one statement looks up. */
const rowsAtOnce = 100;
/** Bytes of text that one statement reads, unless a single row has more. */
const bytesAtOnce = 64 * 1024;

/** Milliseconds for everything else between two parts of lists. */
const gap = 1;

/** Lets one long list read a part at a time, so that many of them do not hold up other requests. */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  #taken = false;

  /** Resolves at once when no other list has just read a part. */
  async next(): Promise<void> {
    if (this.#taken) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#taken = true;
    setImmediate(() => setTimeout(this.#give, gap)); // counted from the end of the work, not from its beginning
  }

  readonly #give = (): void => {
    const next = this.#waiting.shift();
    this.#taken = next !== undefined;
    next?.();
  };
}

/** Some rows of a list that follow each other. */
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
 * and no more than one small part of the list is in memory. Rows that are created meanwhile come before the first one,
 * and are not part of it. Not a generator, because that keeps the row it has given last.
 */
export class WholeList<Row, Item> implements AsyncIterableIterator<Item> {
  readonly #query: SelectQueryBuilder<Schema, "posts", Row>;
  readonly #turns: Turns;
  readonly #toItem: (row: Row) => Item;
  #start: Cursor | undefined;
  /** Planned, and still to be read. */
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

  /** A short list, which most are, waits for no turn. */
  async #read({ last, bytes }: Part): Promise<void> {
    if (this.#isLong || bytes > bytesAtOnce) await this.#turns.next();
    this.#isLong = true;
    const rows = await rowsFrom(this.#query, this.#start).where(isPlaced(">=", last)).execute();
    this.#rows = rows as Row[]; // Kysely's own spelling of the same type
    this.#start = last;
  }

  /** Where to cut the next rows so that no part is large. */
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
