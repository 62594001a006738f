import { BindError, type Context, type JsonArray, jsonArray } from "@tenon/core";
import type { ExpressionBuilder, SelectQueryBuilder } from "kysely";
import { canBeStored, type Schema } from "../database/schema.ts";
import type { PageQuery } from "./posts.dto.ts";

/** The position of a row: a page starts right after it or ends right before it. */
export interface Cursor {
  readonly created_at: string;
  readonly id: string;
}

export interface PageRequest {
  readonly limit: number;
  readonly after?: Cursor | undefined;
  /** Selects the page that ends before this row. Never together with `after`. */
  readonly before?: Cursor;
}

/** A list without a limit has all rows. */
export interface ListRequest {
  readonly limit?: number | undefined;
  readonly after?: Cursor | undefined;
}

export interface Page<T> {
  readonly items: readonly T[];
  /** Undefined on the last page. */
  readonly next: string | undefined;
  /** Undefined on the first page. */
  readonly previous: string | undefined;
}

/** Without a limit the whole list, or everything after the cursor. */
export function toListRequest({ limit, cursor }: PageQuery): ListRequest {
  return { limit, after: cursor === undefined ? undefined : parseCursor(cursor) };
}

/** The rows of a page and one more, which shows whether there is a next page. With `before` the oldest row comes first. */
export function pageOf<O>(
  query: SelectQueryBuilder<Schema, "posts", O>,
  { limit, after, before }: PageRequest,
): SelectQueryBuilder<Schema, "posts", O> {
  const rows = before === undefined ? rowsFrom(query, after) : rowsFrom(query, before, "asc");
  return rows.limit(limit + 1);
}

/** The rows after a cursor, newest first; with `asc` the rows before it, oldest first. */
export function rowsFrom<O>(
  query: SelectQueryBuilder<Schema, "posts", O>,
  edge: Cursor | undefined,
  direction: "asc" | "desc" = "desc",
): SelectQueryBuilder<Schema, "posts", O> {
  const rows = edge === undefined ? query : query.where(isPlaced(direction === "desc" ? "<" : ">", edge));
  return rows.orderBy("posts.created_at", direction).orderBy("posts.id", direction);
}

/** Compares both columns as a tuple: with an OR the database would read all rows up to the cursor. */
export function isPlaced(comparison: "<" | ">" | ">=", { created_at, id }: Cursor) {
  return (eb: ExpressionBuilder<Schema, "posts">) =>
    eb(eb.refTuple("posts.created_at", "posts.id"), comparison, eb.tuple(created_at, id));
}

/** The page from the rows of `pageOf`, newest first. */
export function toPage<T extends Cursor>(rows: readonly T[], { limit, after, before }: PageRequest): Page<T> {
  const found = rows.slice(0, limit);
  const hasMore = rows.length > found.length;
  const items = before === undefined ? found : found.toReversed();
  const [first, last] = [items[0], items.at(-1)];
  return {
    items,
    next: last && (hasMore || before !== undefined) ? toCursor(last) : undefined,
    previous: first && (before === undefined ? after !== undefined : hasMore) ? toCursor(first) : undefined,
  };
}

interface List<Row> extends AsyncIterable<Row> {
  readonly limit: number | undefined;
  findNext(): Promise<Cursor | undefined>;
}

/** The rows as the body, read while they are sent, and the next page in a `Link` header. */
export async function replyWithList<Row>(ctx: Context, list: List<Row>): Promise<JsonArray<Row>> {
  const next = await list.findNext();
  if (next !== undefined) {
    const target = `${ctx.path}?limit=${list.limit}&cursor=${toCursor(next)}`;
    ctx.response().setHeader("link", `<${target}>; rel="next"`);
  }
  return jsonArray(list);
}

function toCursor({ created_at, id }: Cursor): string {
  return Buffer.from(JSON.stringify([created_at, id])).toString("base64url");
}

/** Throws a BindError for text that is not a cursor. */
export function parseCursor(text: string): Cursor {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, "base64url").toString());
    if (Array.isArray(value) && isTime(value[0]) && typeof value[1] === "string" && canBeStored(value[1])) {
      return { created_at: value[0], id: value[1] };
    }
  } catch {
    // rejected below, like any other invalid cursor
  }
  throw new BindError([{ in: "query", path: "cursor", rule: "cursor", message: "must come from a Link header" }]);
}

function isTime(value: unknown): value is string {
  return typeof value === "string" && /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/.test(value);
}
