import {
  AliasNode,
  ColumnNode,
  FunctionNode,
  IdentifierNode,
  type OperationNode,
  ReferenceNode,
  type SelectionNode,
} from "kysely";

/** Functions that each database spells in its own way. Our query compilers translate them; no database has these names. */
export const portable = {
  /** One argument: a select. */
  jsonArray: "tenon_json_array",
  /** One argument: a select. */
  jsonObject: "tenon_json_object",
  /** Names and values in turn. */
  jsonBuildObject: "tenon_json_build_object",
  now: "tenon_now",
} as const;

const jsonFunctions: ReadonlySet<string> = new Set([portable.jsonArray, portable.jsonObject, portable.jsonBuildObject]);

export function isJsonFunction(node: OperationNode): node is FunctionNode {
  return FunctionNode.is(node) && jsonFunctions.has(node.func);
}

export interface SelectedField {
  readonly name: string;
  readonly node: OperationNode;
}

/** What a select returns, by name; undefined in the place of `selectAll()` and of expressions without a name. */
export function fieldsOf(selections: readonly SelectionNode[] | undefined): (SelectedField | undefined)[] {
  return (selections ?? []).map(({ selection }) => {
    if (AliasNode.is(selection)) {
      return IdentifierNode.is(selection.alias) ? { name: selection.alias.name, node: selection.node } : undefined;
    }
    const column = ReferenceNode.is(selection) ? selection.column : selection;
    return ColumnNode.is(column) ? { name: column.column.name, node: selection } : undefined;
  });
}
