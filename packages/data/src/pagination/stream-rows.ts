import { BoundedMap } from "@tenon/core/internal";
import { type SelectQueryBuilder, sql } from "kysely";
import { checkLimit, type Edge, invalidCursor, type ListOptions, ListOrder, type Place } from "./list-order.ts";

/** Rows that one statement reads at most, where there is no limit. */
const rowsAtOnce = 100;
/** The same where no row of the query was seen yet. */
const rowsAtFirst = 16;
/** Bytes of rows that one statement reads without asking for their sizes first, by the largest row seen lately. */
const bytesUnasked = 1024 * 1024;
/** Bytes that one statement reads once the sizes are known, unless a single row has more. */
const bytesAtOnce = 64 * 1024;

export type StreamOptions<DB, TB extends keyof DB, Row, Item = Row, SizesTB extends keyof DB = TB> = ListOptions<
  DB,
  TB,
  Row
> & {
  /** How many rows: from 1 to 1000. Defaults to all of them. */
  readonly limit?: number | undefined;
  /**
   * For rows that may be large: a query for the same rows with their sizes as `bytes`, which is asked first where the rows
   * may exceed 1 MiB together. One statement then reads about 64 KiB. Without joins it is faster.
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
  readonly seen: SeenRows;
  /** Reads so many rows. */
  readonly take: (start: Edge | undefined, limit: number) => Promise<readonly unknown[]>;
  /** Reads the places and sizes of rows. */
  readonly plan: (start: Edge | undefined, limit: number) => Promise<(Place & { readonly bytes: number })[]>;
  /** Reads the rows up to a place. */
  readonly read: (start: Edge | undefined, last: Place) => Promise<readonly unknown[]>;
  readonly placeOf: (row: unknown) => Place;
  readonly map: (row: unknown) => Item;
  readonly toCursor: (place: Place) => string;
}

/** The largest row that a query has read lately. With each further statement it counts for less. */
class SeenRows {
  static readonly #byQuery = new WeakMap<object, SeenRows>();
  /** By the text of the query, for those that are built for each request. */
  static readonly #byText = new BoundedMap<string, SeenRows>(1000);

  #largest = 0;

  get largest(): number {
    return this.#largest;
  }

  static of(query: { compile(): { readonly sql: string } }): SeenRows {
    const known = SeenRows.#byQuery.get(query);
    if (known !== undefined) return known;
    const { sql } = query.compile();
    const seen = SeenRows.#byText.get(sql) ?? new SeenRows();
    SeenRows.#byQuery.set(query, seen);
    SeenRows.#byText.set(sql, seen);
    return seen;
  }

  /** How many rows one statement reads without asking for their sizes; 0 when `limit` rows may be too large. */
  unasked(limit: number | undefined): number {
    if (this.#largest === 0) return limit === undefined || limit <= rowsAtFirst ? (limit ?? rowsAtFirst) : 0;
    const rows = limit ?? rowsAtOnce;
    return rows * this.#largest < bytesUnasked ? rows : 0;
  }

  note(rows: readonly unknown[]): void {
    this.#largest *= 0.98;
    for (const row of rows) this.#largest = Math.max(this.#largest, sizeOf(row as Record<string, unknown>)); // any row
  }
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
  /** Read, but not taken yet. */
  #rows: unknown[] = [];
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
      if (this.#rows.length > 0) return { done: false, value: this.#source.map(this.#rows.shift()) };
      const part = this.#parts.shift();
      if (part !== undefined) await this.#read(part);
      else if (this.#hasMore) await this.#fill();
      else return { done: true, value: undefined };
    }
  }

  /** The cursor of the next page, for a stream with a limit; null when no row follows. Call it before the first row. */
  async nextCursor(): Promise<string | null> {
    if (this.#source.limit === undefined) return null;
    const follow = await this.#fill();
    return follow && this.#planned !== undefined ? this.#source.toCursor(this.#planned) : null;
  }

  /** Reads the next rows, or cuts them into parts. Whether rows follow them. */
  async #fill(): Promise<boolean> {
    const { limit, seen, take, placeOf } = this.#source;
    const most = seen.unasked(limit);
    if (most === 0) return this.#plan();
    const found = await take(this.#planned, most + 1);
    this.#rows = found.slice(0, most);
    if (found.length > 0) this.#planned = placeOf(this.#rows.at(-1));
    this.#start = this.#planned;
    return this.#end(found.length > most);
  }

  async #read({ keys, last }: Part): Promise<void> {
    const { read, placeOf } = this.#source;
    const rows = await read(this.#start, last);
    this.#rows = rows.filter((row) => keys.has(placeOf(row).key)); // one that was inserted meanwhile would exceed the limit
    this.#start = last;
  }

  /** Cuts the next rows into parts of which none is large. */
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
    return this.#end(found.length > rows.length);
  }

  #end(follow: boolean): boolean {
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
  const seen = SeenRows.of(query);
  const note = (rows: readonly unknown[]) => {
    seen.note(rows);
    return rows;
  };
  return new RowStream({
    limit: limit === undefined ? undefined : checkLimit(limit),
    start,
    seen,
    take: async (edge, most) => note(await order.read(query, edge, most)),
    plan:
      sizes === undefined
        ? toPlan(order, query.clearSelect().select(sql<number>`0`.as("bytes")), seen)
        : toPlan(order, sizes, seen),
    read: async (edge, last) => note(await order.upTo(order.from(query, edge), last).execute()),
    placeOf: (row) => order.placeOf(row),
    map: (row) => map(row as Row), // the query has read it
    toCursor: (place) => order.toCursor(place),
  });
}

/** About the bytes of a row in memory. */
function sizeOf(row: Readonly<Record<string, unknown>>): number {
  let bytes = 0;
  for (const name in row) {
    const value = row[name];
    if (typeof value === "string") bytes += value.length;
    else if (value instanceof Uint8Array) bytes += value.byteLength;
    else bytes += typeof value === "object" ? JSON.stringify(value).length : 8;
  }
  return bytes;
}

/** Where the sizes are not known, every row counts as the largest. */
function toPlan<DB, TB extends keyof DB, Row>(
  order: ListOrder,
  sizes: SelectQueryBuilder<DB, TB, Row>,
  seen: SeenRows,
) {
  const places = order.select(sizes);
  return async (edge: Edge | undefined, most: number) => {
    const rows = await order.read(places, edge, most);
    return rows.map((row) => ({
      ...order.placeOf(row),
      bytes: (row as { readonly bytes: number }).bytes || seen.largest, // selected above
    }));
  };
}
