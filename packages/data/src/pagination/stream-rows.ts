import { type SelectQueryBuilder, sql } from "kysely";
import { checkLimit, type Edge, invalidCursor, type ListOptions, ListOrder, type Place } from "./list-order.ts";

/** Rows that one statement reads at most. */
const rowsAtOnce = 100;
/** Bytes that one statement reads, unless a single row has more. */
const bytesAtOnce = 64 * 1024;

export type StreamOptions<DB, TB extends keyof DB, Row, Item = Row, SizesTB extends keyof DB = TB> = ListOptions<
  DB,
  TB,
  Row
> & {
  /** How many rows: from 1 to 1000. Defaults to all of them. */
  readonly limit?: number | undefined;
  /**
   * For rows that may be large: a query for the same rows with their sizes as `bytes`. One statement then reads about
   * 64 KiB. Without joins it is faster.
   */
  readonly sizes?: SelectQueryBuilder<DB, SizesTB, { bytes: number }>;
  /** Makes the items of the stream. Defaults to the rows themselves. */
  readonly map?: (row: Row) => Item;
};

/** Consecutive rows of a list. */
interface Part {
  readonly keys: ReadonlySet<unknown>;
  readonly last: Place;
}

interface RowStreamParts<Item> {
  readonly limit: number | undefined;
  readonly start: Edge | undefined;
  /** Reads the places and sizes of rows. */
  readonly plan: (start: Edge | undefined, limit: number) => Promise<(Place & { readonly bytes: number })[]>;
  /** Reads the rows up to a place. */
  readonly read: (start: Edge | undefined, last: Place) => Promise<{ readonly key: unknown; readonly item: Item }[]>;
  readonly toCursor: (place: Place) => string;
}

/**
 * Rows from short statements: a slow reader holds neither a connection nor a snapshot, and only one small part of the
 * list is in memory. Not a generator, because a generator keeps the last row that it yielded.
 */
export class RowStream<Item> implements AsyncIterableIterator<Item> {
  readonly #source: RowStreamParts<Item>;
  #start: Edge | undefined;
  /** The last row that was planned. */
  #planned: Edge | undefined;
  /** Planned, but not read yet. */
  readonly #parts: Part[] = [];
  #items: Item[] = [];
  #hasMore = true;

  constructor(source: RowStreamParts<Item>) {
    this.#source = source;
    this.#start = source.start;
    this.#planned = source.start;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Item>> {
    for (;;) {
      if (this.#items.length > 0) return { done: false, value: this.#items.shift() as Item }; // there is one
      const part = this.#parts.shift();
      if (part !== undefined) await this.#read(part);
      else if (this.#hasMore) await this.#plan();
      else return { done: true, value: undefined };
    }
  }

  /** The cursor of the next page, for a stream with a limit; null when no row follows. Call it before the first row. */
  async nextCursor(): Promise<string | null> {
    if (this.#source.limit === undefined) return null;
    const follow = await this.#plan();
    return follow && this.#planned !== undefined ? this.#source.toCursor(this.#planned) : null;
  }

  async #read({ keys, last }: Part): Promise<void> {
    const rows = await this.#source.read(this.#start, last);
    // a row that was inserted meanwhile would exceed the limit
    this.#items = rows.filter(({ key }) => keys.has(key)).map(({ item }) => item);
    this.#start = last;
  }

  /** Cuts the next rows into parts of which none is large. Whether rows follow them. */
  async #plan(): Promise<boolean> {
    const most = this.#source.limit ?? rowsAtOnce;
    const found = await this.#source.plan(this.#planned, most + 1);
    const rows = found.slice(0, most);
    let keys = new Set<unknown>();
    let bytes = 0;
    for (const [index, { value, key, bytes: size }] of rows.entries()) {
      keys.add(key);
      bytes += size;
      const next = rows[index + 1];
      if (next !== undefined && keys.size < rowsAtOnce && bytes + next.bytes <= bytesAtOnce) continue;
      this.#planned = { value, key };
      this.#parts.push({ keys, last: this.#planned });
      keys = new Set();
      bytes = 0;
    }
    const follow = found.length > rows.length;
    this.#hasMore = follow && this.#source.limit === undefined;
    return follow;
  }
}

/**
 * The rows of a query one by one, without holding all of them in memory: `return jsonArray(streamRows(query, { by }))`.
 * Rows that are deleted before they are read are left out.
 */
export function streamRows<DB, TB extends keyof DB, Row, Item = Row, SizesTB extends keyof DB = TB>(
  query: SelectQueryBuilder<DB, TB, Row>,
  options: StreamOptions<DB, TB, Row, Item, SizesTB>,
): RowStream<Item> {
  const { limit, cursor, sizes, map = (row: Row) => row as unknown as Item } = options; // the default of Item
  const order = new ListOrder(query, options);
  const start = cursor === undefined ? undefined : order.parseCursor(cursor);
  if (start?.isBefore === true) throw invalidCursor();
  return new RowStream({
    limit: limit === undefined ? undefined : checkLimit(limit),
    start,
    plan:
      sizes === undefined
        ? toPlan(order, query.clearSelect().select(sql<number>`0`.as("bytes")))
        : toPlan(order, sizes),
    read: async (edge, last) => {
      const rows = (await order.upTo(order.from(query, edge), last).execute()) as Row[]; // Kysely's own spelling of it
      return rows.map((row) => ({ key: order.placeOf(row).key, item: map(row) }));
    },
    toCursor: (place) => order.toCursor(place),
  });
}

function toPlan<DB, TB extends keyof DB, Row>(order: ListOrder, sizes: SelectQueryBuilder<DB, TB, Row>) {
  const places = order.select(sizes);
  return async (edge: Edge | undefined, most: number) => {
    const rows = await order.read(places, edge, most);
    return rows.map((row) => ({ ...order.placeOf(row), bytes: (row as { readonly bytes: number }).bytes })); // selected above
  };
}
