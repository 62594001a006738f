import {
  type ColumnDefinitionNode,
  DataTypeNode,
  type FunctionNode,
  type OperationNode,
  RawNode,
  SqliteQueryCompiler,
} from "kysely";
import { currentTime } from "./columns.ts";
import { jsonType } from "./sqlite-connection.ts";

/** Kysely's compiler, with the columns that are spelled the same way on both databases. */
export class PortableSqliteCompiler extends SqliteQueryCompiler {
  protected override visitFunction(node: FunctionNode): void {
    if (node.func !== currentTime) super.visitFunction(node);
    else this.append("(strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))"); // in parentheses, which a default needs
  }

  protected override visitColumnDefinition(node: ColumnDefinitionNode): void {
    // SQLite generates ids only for a column whose type is exactly INTEGER
    const dataType = node.autoIncrement === true ? DataTypeNode.create("integer") : toSqliteType(node.dataType);
    super.visitColumnDefinition({ ...node, dataType });
  }
}

const texts: ReadonlySet<unknown> = new Set(["uuid", "date", "timestamptz", "numeric", "decimal"]);

/** SQLite has none of these types: as it reads their names, a decimal would become a number and lose digits. */
function toSqliteType(node: OperationNode): OperationNode {
  const name = DataTypeNode.is(node) ? /^[a-z]+/.exec(node.dataType)?.[0] : undefined;
  if (name === "json" || name === "jsonb") return RawNode.createWithSql(jsonType);
  return texts.has(name) ? DataTypeNode.create("text") : node;
}
