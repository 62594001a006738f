import { BindError, type Issue } from "@tenon/core";
import {
  AliasNode,
  IdentifierNode,
  type OperationNode,
  type SelectQueryBuilder,
  type StringReference,
  sql,
  TableNode,
} from "kysely";
import { isInvalidValue } from "../database/postgres-errors.ts";

export type Direction = "asc" | "desc";
type Value = string | number;

type NameIn<Reference> = Reference extends `${string}.${infer Rest}` ? NameIn<Rest> : Reference;
/** The columns of a row that are never null: a null has no place in the order, and its row would be on no page. */
type OrderName<Row> = { [Name in keyof Row & string]: Row[Name] extends Value ? Name : never }[keyof Row & string];
type OrderColumn<DB, TB extends keyof DB, Row, Reference = StringReference<DB, TB>> = Reference extends string
  ? NameIn<Reference> extends OrderName<Row>
    ? Reference
    : never
  : never;

/** How a list is ordered and where it continues. */
export type ListOptions<DB, TB extends keyof DB, Row> = {
  /** A selected column with texts or numbers, never null: `["created_at", "desc"]`, with a join `["posts.created_at", "desc"]`. */
  readonly by: readonly [column: OrderColumn<DB, TB, Row>, direction: Direction];
  /** The text from the page before. */
  readonly cursor?: string | undefined;
} & ("id" extends OrderName<Row>
  ? {
      /** The unique column of the same table, which orders rows with equal values. Defaults to `id`. */
      readonly key?: OrderName<Row>;
    }
  : { readonly key: OrderName<Row> });

/** The place of a row in its list. */
export interface Place {
  readonly value: Value;
  readonly key: Value;
}

/** Rows follow it, or with `isBefore` end before it. */
export interface Edge extends Place {
  readonly isBefore?: boolean;
}

/** The longest cursor, in characters: it has to fit into a URL. */
const longestCursor = 2048;
const largestLimit = 1000;

/** A column, the direction, and the key that makes the order total. */
export class ListOrder {
  readonly #name: string;
  readonly #keyName: string;
  readonly #column: string;
  readonly #key: string;
  readonly #direction: Direction;
  /** What a cursor of this list begins with. */
  readonly #list: readonly string[];

  constructor(
    query: { toOperationNode(): OperationNode },
    { by: [column, direction], key = "id" }: { readonly by: readonly [string, Direction]; readonly key?: string },
  ) {
    const node = query.toOperationNode();
    const given = ["orderBy", "limit", "offset"].find((part) => Reflect.get(node, part) !== undefined);
    if (given !== undefined) {
      throw new TypeError(`a query in pages has no ${given}() of its own: use { by, limit, cursor }`);
    }
    const parts = column.split(".");
    const name = parts.pop() ?? "";
    this.#name = name;
    this.#keyName = key;
    this.#column = column;
    this.#key = [...parts, key].join(".");
    this.#direction = direction;
    this.#list = [parts.at(-1) ?? tableOf(node), name, direction, key];
  }

  /** The rows from an edge on, in order; in reverse before it. */
  from<DB, TB extends keyof DB, Row>(
    query: SelectQueryBuilder<DB, TB, Row>,
    edge: Edge | undefined,
  ): SelectQueryBuilder<DB, TB, Row> {
    const direction = edge?.isBefore === true ? opposite(this.#direction) : this.#direction;
    const rows = edge === undefined ? query : query.where(this.#compare(direction === "asc" ? ">" : "<", edge));
    return rows.orderBy(sql.ref(this.#column), direction).orderBy(sql.ref(this.#key), direction);
  }

  /** The rows up to this one. */
  upTo<DB, TB extends keyof DB, Row>(
    query: SelectQueryBuilder<DB, TB, Row>,
    last: Place,
  ): SelectQueryBuilder<DB, TB, Row> {
    return query.where(this.#compare(this.#direction === "asc" ? "<=" : ">=", last));
  }

  /** Compares both columns as a tuple: with an OR the database would read all rows up to the edge. */
  #compare(comparison: "<" | ">" | "<=" | ">=", { value, key }: Place) {
    const columns = sql`(${sql.ref(this.#column)}, ${sql.ref(this.#key)})`;
    return sql<boolean>`${columns} ${sql.raw(comparison)} (${value}, ${key})`;
  }

  /** With the two columns of the order, under their own names. */
  select<DB, TB extends keyof DB, Row>(query: SelectQueryBuilder<DB, TB, Row>) {
    const columns = [
      sql<Value>`${sql.ref(this.#column)}`.as(this.#name),
      sql<Value>`${sql.ref(this.#key)}`.as(this.#keyName),
    ];
    return query.select(columns);
  }

  /** Reads rows from an edge on. A cursor whose values are not of the columns' types is rejected input. */
  async read<DB, TB extends keyof DB, Row>(
    query: SelectQueryBuilder<DB, TB, Row>,
    edge: Edge | undefined,
    limit: number,
  ): Promise<Row[]> {
    const page = this.from(query, edge).limit(limit);
    if (edge === undefined) return (await page.execute()) as Row[]; // Kysely's own spelling of the same type
    const rows = (await page.execute().catch((error: unknown) => {
      throw isInvalidValue(error) ? invalidCursor(error) : error;
    })) as Row[]; // as above
    // SQLite compares a text with a number: only a row shows that the column has values of another type
    const sample = rows[0] ?? (await query.limit(1).executeTakeFirst());
    if (sample !== undefined) {
      const { value, key } = this.placeOf(sample);
      if (typeof value !== typeof edge.value || typeof key !== typeof edge.key) throw invalidCursor();
    }
    return rows;
  }

  placeOf(row: unknown): Place {
    const { [this.#name]: value, [this.#keyName]: key } = row as Record<string, unknown>; // any row
    if (isValue(value) && isValue(key)) return { value, key };
    const name = isValue(value) ? this.#keyName : this.#name;
    throw new TypeError(`"${name}" cannot order a list: each row needs a text or a number there, not null or a Date`);
  }

  toCursor({ value, key, isBefore = false }: Edge): string {
    const cursor = encode([...this.#list, isBefore ? "before" : "after", value, key]);
    if (cursor.length <= longestCursor) return cursor;
    throw new TypeError(`"${this.#name}" cannot order a list: its values are too long for a cursor in a URL`);
  }

  /** Throws a BindError for a text that is not a cursor of this list. */
  parseCursor(text: string): Edge {
    const fields = text.length <= longestCursor ? decode(text) : undefined;
    const [side, value, key] = fields?.slice(this.#list.length) ?? [];
    const isOurs = this.#list.every((part, index) => fields?.[index] === part);
    if (!isOurs || !isValue(value) || !isValue(key)) throw invalidCursor();
    if (side !== "after" && side !== "before") throw invalidCursor();
    return { value, key, isBefore: side === "before" };
  }
}

export function checkLimit(limit: number): number {
  if (Number.isInteger(limit) && limit >= 1 && limit <= largestLimit) return limit;
  throw invalid({ path: "limit", rule: "limit", message: `must be a whole number from 1 to ${largestLimit}` });
}

export function invalidCursor(cause?: unknown): BindError {
  return invalid({ path: "cursor", rule: "cursor", message: "is not a cursor of this list" }, cause);
}

function invalid(issue: Issue, cause?: unknown): BindError {
  return new BindError([{ in: "query", ...issue }], { cause });
}

/** PostgreSQL throws on U+0000 in a text. */
function isValue(value: unknown): value is Value {
  if (typeof value === "string") return value.isWellFormed() && !value.includes("\0");
  return typeof value === "number" && Number.isFinite(value);
}

function opposite(direction: Direction): Direction {
  return direction === "asc" ? "desc" : "asc";
}

function encode(fields: readonly unknown[]): string {
  return Buffer.from(JSON.stringify(fields)).toString("base64url");
}

/** Undefined for a text that `encode` does not make. */
function decode(text: string): readonly unknown[] | undefined {
  try {
    const fields: unknown = JSON.parse(Buffer.from(text, "base64url").toString());
    return Array.isArray(fields) && encode(fields) === text ? fields : undefined;
  } catch {
    return undefined; // not JSON
  }
}

/** The name of the first table of a query, or its alias. */
function tableOf(node: OperationNode): string {
  const from = "from" in node ? (node.from as { readonly froms: readonly OperationNode[] }).froms[0] : undefined; // of a select
  if (from === undefined) return "";
  if (TableNode.is(from)) return from.table.identifier.name;
  return AliasNode.is(from) && IdentifierNode.is(from.alias) ? from.alias.name : "";
}
