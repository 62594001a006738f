import { type ColumnDefinitionBuilder, ExpressionWrapper, FunctionNode } from "kysely";

/** A primary key that the database counts up: `.addColumn("id", "integer", autoIncrement)`. */
export function autoIncrement(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder {
  return column.primaryKey().autoIncrement();
}

/** A function that each database spells in its own way: the query compilers translate it. */
export const currentTime = "tenon_now";

/**
 * The current time as `toISOString()` writes it, in UTC with milliseconds: as a default of a column, and in queries about
 * `text` columns.
 */
export function now(): ExpressionWrapper<unknown, never, string> {
  return new ExpressionWrapper(FunctionNode.create(currentTime, []));
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * Whether a text can be in a `uuid` column, as `randomUUID()` writes it: PostgreSQL fails to compare the column with any
 * other text, so ids of requests are checked first.
 */
export function isUuid(text: string): boolean {
  return uuid.test(text);
}
