import { type ColumnDefinitionNode, DataTypeNode, type FunctionNode, SqliteQueryCompiler } from "kysely";
import { currentTime } from "./columns.ts";

/** Kysely's compiler, with the columns that are spelled the same way on both databases. */
export class PortableSqliteCompiler extends SqliteQueryCompiler {
  protected override visitFunction(node: FunctionNode): void {
    if (node.func !== currentTime) super.visitFunction(node);
    else this.append("(strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))"); // in parentheses, which a default needs
  }

  /** SQLite generates ids only for a column whose type is exactly INTEGER. */
  protected override visitColumnDefinition(node: ColumnDefinitionNode): void {
    const dataType = node.autoIncrement === true ? DataTypeNode.create("integer") : node.dataType;
    super.visitColumnDefinition({ ...node, dataType });
  }
}
