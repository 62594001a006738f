import { type CompiledQuery, RawNode } from "kysely";

/**
 * A statement that PostgreSQL parses and plans once for each connection, instead of each time. For a text that never
 * changes, under a name of its own; and not for one whose best plan depends on the parameters.
 */
export class PreparedQuery<Row = unknown> implements CompiledQuery<Row> {
  readonly query: RawNode;
  readonly queryId = { queryId: "" };
  readonly name: string;
  readonly sql: string;
  readonly parameters: readonly unknown[];

  constructor(name: string, sql: string, parameters: readonly unknown[]) {
    this.query = RawNode.createWithSql(sql);
    this.name = name;
    this.sql = sql;
    this.parameters = parameters;
  }
}
