import type { SelectQueryBuilder } from "kysely";
import { checkLimit, type ListOptions, ListOrder } from "./list-order.ts";
import { defaultLimit } from "./page.ts";

export interface Page<Row> {
  readonly items: Row[];
  /** The cursor of the next page; null on the last one. */
  readonly next: string | null;
  /** The cursor of the page before; null on the first one. */
  readonly previous: string | null;
}

export type PageOptions<DB, TB extends keyof DB, Row> = ListOptions<DB, TB, Row> & {
  /** How many rows: from 1 to 1000. Defaults to 20. */
  readonly limit?: number | undefined;
};

/**
 * One page of a query: the rows after those of the page before, also when rows are added or deleted meanwhile. A cursor
 * that does not come from this list, and a limit out of range, is rejected input (400).
 */
export async function paginate<DB, TB extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, TB, Row>,
  options: PageOptions<DB, TB, Row>,
): Promise<Page<Row>> {
  const limit = checkLimit(options.limit ?? defaultLimit);
  const order = new ListOrder(query, options);
  const edge = options.cursor === undefined ? undefined : order.parseCursor(options.cursor);
  const found = await order.read(query, edge, limit + 1); // one more shows whether another page follows
  const items = found.slice(0, limit);
  const hasMore = found.length > limit;
  const isBefore = edge?.isBefore === true;
  if (isBefore) items.reverse();
  const toCursor = (row: Row | undefined, isBefore: boolean) =>
    row === undefined ? null : order.toCursor({ ...order.placeOf(row), isBefore });
  return {
    items,
    next: hasMore || isBefore ? toCursor(items.at(-1), false) : null,
    previous: (isBefore ? hasMore : edge !== undefined) ? toCursor(items[0], true) : null,
  };
}
