import {
  type Expression,
  ExpressionWrapper,
  FunctionNode,
  type SelectQueryNode,
  type ShallowDehydrateObject,
  type ShallowDehydrateValue,
  type Simplify,
  ValueNode,
} from "kysely";
import { fieldsOf, portable } from "./portable-functions.ts";

/** A select of the query builder. */
export interface Subquery<Row> extends Expression<Row> {
  readonly isSelectQueryBuilder: true;
  toOperationNode(): SelectQueryNode;
}

/** An expression to select: `.as("comments")`. */
export type JsonExpression<T> = ExpressionWrapper<unknown, never, T>;

/** All rows of a subquery as an array of objects; empty when there are none. */
export function jsonArrayFrom<Row>(query: Subquery<Row>): JsonExpression<Simplify<ShallowDehydrateObject<Row>>[]> {
  return callWithSelect(portable.jsonArray, "jsonArrayFrom", query);
}

/** The row of a subquery as an object, or null. The subquery returns at most one row. */
export function jsonObjectFrom<Row>(
  query: Subquery<Row>,
): JsonExpression<Simplify<ShallowDehydrateObject<Row>> | null> {
  return callWithSelect(portable.jsonObject, "jsonObjectFrom", query);
}

/** An object of expressions: `jsonBuildObject({ first: eb.ref("first_name"), last: eb.ref("last_name") })`. */
export function jsonBuildObject<Fields extends Readonly<Record<string, Expression<unknown>>>>(
  fields: Fields,
): JsonExpression<
  Simplify<{
    [Name in keyof Fields]: Fields[Name] extends Expression<infer Value> ? ShallowDehydrateValue<Value> : never;
  }>
> {
  const pairs = Object.entries(fields).flatMap(([name, value]) => [
    ValueNode.createImmediate(name),
    value.toOperationNode(),
  ]);
  return new ExpressionWrapper(FunctionNode.create(portable.jsonBuildObject, pairs));
}

function callWithSelect<T>(name: string, helper: string, query: Subquery<unknown>): JsonExpression<T> {
  const select = query.toOperationNode();
  // PostgreSQL could do without the names, but a query must not work on one database only
  if (fieldsOf(select.selections).includes(undefined)) {
    throw new Error(`${helper}() needs a name for every field: select columns by name, not with selectAll().`);
  }
  return new ExpressionWrapper(FunctionNode.create(name, [select]));
}
