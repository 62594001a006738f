import {
  type ColumnDefinitionNode,
  DataTypeNode,
  type FunctionNode,
  type OperationNode,
  type SelectQueryNode,
  SqliteQueryCompiler,
} from "kysely";
import { fieldsOf, isJsonFunction, portable } from "./portable-functions.ts";
import { quoteName } from "./quote-name.ts";

/** In parentheses, which a default needs. */
const currentTime = "(strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))";

/** Kysely's compiler, with the functions and columns that are spelled the same way on both databases. */
export class PortableSqliteCompiler extends SqliteQueryCompiler {
  protected override visitFunction(node: FunctionNode): void {
    if (node.func === portable.jsonArray) this.#selectJson(node, "coalesce(json_group_array(", "), '[]')");
    else if (node.func === portable.jsonObject) this.#selectJson(node, "", "");
    else if (node.func === portable.jsonBuildObject) this.#buildObject(node.arguments);
    else if (node.func === portable.now) this.append(currentTime);
    else super.visitFunction(node);
  }

  /** SQLite generates ids only for a column whose type is exactly INTEGER. */
  protected override visitColumnDefinition(node: ColumnDefinitionNode): void {
    const dataType = node.autoIncrement === true ? DataTypeNode.create("integer") : node.dataType;
    super.visitColumnDefinition({ ...node, dataType });
  }

  #selectJson(node: FunctionNode, before: string, after: string): void {
    const select = node.arguments[0] as SelectQueryNode; // what the helpers pass
    this.append(`(select ${before}json_object(`);
    for (const [index, field] of fieldsOf(select.selections).entries()) {
      if (field === undefined) continue; // the helpers reject it
      if (index > 0) this.append(", ");
      this.appendStringLiteral(field.name);
      const column = `agg.${quoteName(field.name)}`;
      // without json() the value of an inner helper would be text inside the outer object
      this.append(isJsonFunction(field.node) ? `, json(${column})` : `, ${column}`);
    }
    this.append(`)${after} from `);
    this.visitNode(select);
    this.append(" as agg)");
  }

  #buildObject(pairs: readonly OperationNode[]): void {
    this.append("json_object(");
    this.compileList(pairs);
    this.append(")");
  }
}
