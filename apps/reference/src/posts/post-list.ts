import { type SelectQueryBuilder, sql } from "kysely";
import type { Schema } from "../database/schema.ts";
import { type Cursor, isPlaced, rowsFrom } from "./page.ts";

/** Rows whose sizes one statement reads. */
const rowsAtOnce = 100;
/** Bytes of text that one statement reads, unless a single row has more. */
const bytesAtOnce = 64 * 1024;

/** How many times longer than the last part of a list took other requests are handled before the next one. */
const share = 3;
const longestGap = 50;

/** Lets long lists read one part at a time in turn, so that many of them do not delay other requests. */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  #taken = false;

  /** Resolves when it is the caller's turn; at once when no other list has just read a part. */
  async next(): Promise<void> {
    if (this.#taken) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#taken = true;
    const start = performance.now();
    // after the part was read and written: the event loop accepts one connection a round, and many may wait
    setImmediate(() => setTimeout(this.#release, Math.min(longestGap, share * (performance.now() - start))));
  }

  readonly #release = (): void => {
    const next = this.#waiting.shift();
    this.#taken = next !== undefined;
    next?.();
  };
}

/** Consecutive rows of a list. */
interface Part {
  readonly ids: ReadonlySet<string>;
  readonly last: Cursor;
  readonly bytes: number;
}

export interface PostListOptions<Row, Item> {
  readonly rows: SelectQueryBuilder<Schema, "posts", Row>;
  /** The same posts without a join: SQLite reads all of a large post to reach the columns after its content. */
  readonly keys: SelectQueryBuilder<Schema, "posts", object>;
  readonly after?: Cursor | undefined;
  /** Every row without one. */
  readonly limit?: number | undefined;
  readonly turns: Turns;
  readonly toItem: (row: Row) => Item;
}

/**
 * The rows of a query, newest first, from short statements: a slow reader holds neither a connection nor a snapshot,
 * and only one small part of the list is in memory. Rows created meanwhile would come before the first one and are not
 * included. Not a generator, because a generator keeps the last row that it yielded.
 */
export class PostList<Row extends Cursor, Item> implements AsyncIterableIterator<Item> {
  readonly limit: number | undefined;
  readonly #query: SelectQueryBuilder<Schema, "posts", Row>;
  readonly #keys: SelectQueryBuilder<Schema, "posts", object>;
  readonly #turns: Turns;
  readonly #toItem: (row: Row) => Item;
  #start: Cursor | undefined;
  /** The last row that was planned. */
  #planned: Cursor | undefined;
  /** Planned, but not read yet. */
  readonly #parts: Part[] = [];
  #rows: Row[] = [];
  #hasMore = true;
  #isLong = false;

  constructor(options: PostListOptions<Row, Item>) {
    this.#query = options.rows;
    this.#keys = options.keys;
    this.#start = options.after;
    this.#planned = options.after;
    this.limit = options.limit;
    this.#turns = options.turns;
    this.#toItem = options.toItem;
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

  /** Where the next page begins, for a list with a limit; undefined when no row follows. Called before the first row. */
  async findNext(): Promise<Cursor | undefined> {
    if (this.limit === undefined) return undefined;
    return (await this.#plan()) ? this.#planned : undefined;
  }

  /** A short list waits for no turn: most lists are short. */
  async #read({ ids, last, bytes }: Part): Promise<void> {
    if (this.#isLong || bytes > bytesAtOnce) await this.#turns.next();
    this.#isLong = true;
    const rows = await rowsFrom(this.#query, this.#start).where(isPlaced(">=", last)).execute();
    // one that was published meanwhile would exceed the limit
    this.#rows = (rows as Row[]).filter(({ id }) => ids.has(id)); // Kysely's own spelling of the same type
    this.#start = last;
  }

  /** Reads keys and sizes, and decides where to cut the rows so that no part is large. Whether rows follow them. */
  async #plan(): Promise<boolean> {
    const most = this.limit ?? rowsAtOnce;
    const found = await rowsFrom(this.#keys, this.#planned)
      .select(["posts.created_at", "posts.id"])
      .select(sql<number>`octet_length(posts.title) + octet_length(posts.content)`.as("bytes"))
      .limit(most + 1)
      .execute();
    const rows = found.slice(0, most);
    let ids = new Set<string>();
    let bytes = 0;
    for (const [index, { created_at, id, bytes: size }] of rows.entries()) {
      ids.add(id);
      bytes += size;
      const next = rows[index + 1];
      if (next !== undefined && bytes + next.bytes <= bytesAtOnce) continue;
      this.#planned = { created_at, id };
      this.#parts.push({ ids, last: this.#planned, bytes });
      ids = new Set();
      bytes = 0;
    }
    const follow = found.length > rows.length;
    this.#hasMore = follow && this.limit === undefined;
    return follow;
  }
}
