import {
  AliasNode,
  AndNode,
  BinaryOperationNode,
  IdentifierNode,
  type OperationNode,
  OperatorNode,
  OrNode,
  ParensNode,
  type RootOperationNode,
  SelectQueryNode,
  UnaryOperationNode,
} from "kysely";

const operators = new Set(
  "exists,not exists,not,=,==,!=,<>,>,>=,<,<=,in,not in,is,is not,like,not like,is distinct from,is not distinct from".split(
    ",",
  ),
);

/** The names of the columns that are conditions, such as `eb.exists(…)`: SQLite returns 0 or 1 for them. */
export function findConditions(root: RootOperationNode): string[] {
  const returning = "returning" in root ? root.returning?.selections : undefined;
  const selections = (SelectQueryNode.is(root) ? root.selections : returning) ?? [];
  return selections.flatMap(({ selection }) => {
    if (!AliasNode.is(selection) || !IdentifierNode.is(selection.alias)) return [];
    return isCondition(selection.node) ? [selection.alias.name] : [];
  });
}

function isCondition(node: OperationNode): boolean {
  if (ParensNode.is(node)) return isCondition(node.node);
  if (AndNode.is(node) || OrNode.is(node)) return true;
  if (!UnaryOperationNode.is(node) && !BinaryOperationNode.is(node)) return false;
  return OperatorNode.is(node.operator) && operators.has(node.operator.operator);
}
