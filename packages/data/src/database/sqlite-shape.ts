import {
  AliasNode,
  AndNode,
  BinaryOperationNode,
  createQueryId,
  IdentifierNode,
  type OperationNode,
  OperatorNode,
  OrNode,
  ParensNode,
  type RootOperationNode,
  SelectionNode,
  SelectQueryNode,
  UnaryOperationNode,
  ValueNode,
} from "kysely";
import { fieldsOf, isJsonFunction, portable } from "./portable-functions.ts";
import { PortableSqliteCompiler } from "./sqlite-compiler.ts";

/** Converts a value that SQLite returned. */
export type Reader = (value: unknown) => unknown;

/** The declared types of the columns that a statement returns. */
export type Describe = (sql: string) => readonly (string | null)[];

const conditions = new Set(
  "exists,not exists,not,=,==,!=,<>,>,>=,<,<=,in,not in,is,is not,like,not like,is distinct from,is not distinct from".split(
    ",",
  ),
);

/**
 * Readers for the columns whose declared type does not say what they hold: JSON of our helpers and conditions such as
 * `eb.exists(…)`. By the name of the column.
 */
export function createReaders(root: RootOperationNode, describe: Describe): ReadonlyMap<string, Reader> {
  const readers = new Map<string, Reader>();
  const leaves: Leaf[] = [];
  const json: [string, Shape][] = [];
  for (const field of fieldsOf(selectionsOf(root))) {
    if (field === undefined) continue;
    if (isCondition(field.node)) readers.set(field.name, toBoolean);
    if (isJsonFunction(field.node)) json.push([field.name, toShape(field.node, (node) => node, leaves)]);
  }
  if (json.length === 0) return readers;
  const types = leaves.length === 0 ? [] : describeLeaves(root, leaves, describe);
  for (const [index, leaf] of leaves.entries()) leaf.boolean ||= isBooleanType(types[index]);
  for (const [name, shape] of json) {
    const revive = compileShape(shape);
    readers.set(name, (text) => (typeof text === "string" ? revive(JSON.parse(text)) : text));
  }
  return readers;
}

export function isBooleanType(type: string | null | undefined): boolean {
  return type?.toLowerCase() === "boolean";
}

export function toBoolean(value: unknown): unknown {
  return typeof value === "number" ? value !== 0 : value;
}

/** A value inside JSON, where SQLite has written a boolean as 0 or 1. */
interface Leaf {
  /** The value as a column of the whole query. */
  readonly probe: OperationNode;
  boolean: boolean;
}

type Shape = Leaf | ReadonlyMap<string, Shape>;

/** `embed` places a value of this level in the outermost query. */
function toShape(node: OperationNode, embed: (value: OperationNode) => OperationNode, leaves: Leaf[]): Shape {
  if (!isJsonFunction(node)) {
    const leaf: Leaf = { probe: embed(node), boolean: isCondition(node) };
    leaves.push(leaf);
    return leaf;
  }
  if (node.func === portable.jsonBuildObject) {
    const fields = new Map<string, Shape>();
    for (let index = 0; index < node.arguments.length; index += 2) {
      const [name, value] = node.arguments.slice(index) as [ValueNode, OperationNode]; // names and values in turn
      fields.set(String(name.value), toShape(value, embed, leaves));
    }
    return fields;
  }
  const select = node.arguments[0] as SelectQueryNode; // what the helpers pass
  const embedInSelect = (value: OperationNode) => embed(selectOnly(select, value));
  return new Map(
    fieldsOf(select.selections).flatMap((field) =>
      field === undefined ? [] : [[field.name, toShape(field.node, embedInSelect, leaves)] as const],
    ),
  );
}

/** Without the clauses that may name other selections; the rest says what the names in `value` refer to. */
function selectOnly({ from, joins, where, with: common }: SelectQueryNode, value: OperationNode): SelectQueryNode {
  return {
    kind: "SelectQueryNode",
    ...(from && { from }),
    ...(joins && { joins }),
    ...(where && { where }),
    ...(common && { with: common }),
    selections: [toSelection(value, 0)],
  };
}

function toSelection(node: OperationNode, index: number): SelectionNode {
  return SelectionNode.create(AliasNode.create(node, IdentifierNode.create(`leaf${index}`)));
}

/** The statement is prepared and never run: SQLite knows the declared type of a column through subqueries and views. */
function describeLeaves(root: RootOperationNode, leaves: readonly Leaf[], describe: Describe): ReturnType<Describe> {
  const selections = leaves.map(({ probe }, index) => toSelection(probe, index));
  const statement = SelectQueryNode.is(root)
    ? { ...selectOnly(root, ValueNode.createImmediate(1)), selections }
    : { ...root, returning: { kind: "ReturningNode" as const, selections } };
  const query = statement as RootOperationNode; // of the same kind as before
  try {
    return describe(new PortableSqliteCompiler().compileQuery(query, createQueryId()).sql);
  } catch {
    return []; // the query itself is correct and must run; a boolean in its JSON stays a number
  }
}

function selectionsOf(root: RootOperationNode): readonly SelectionNode[] | undefined {
  if (SelectQueryNode.is(root)) return root.selections;
  return "returning" in root ? root.returning?.selections : undefined;
}

function isCondition(node: OperationNode): boolean {
  if (ParensNode.is(node)) return isCondition(node.node);
  if (AndNode.is(node) || OrNode.is(node)) return true;
  if (!UnaryOperationNode.is(node) && !BinaryOperationNode.is(node)) return false;
  return OperatorNode.is(node.operator) && conditions.has(node.operator.operator);
}

function compileShape(shape: Shape): Reader {
  if (!(shape instanceof Map)) return (shape as Leaf).boolean ? toBoolean : same; // the other kind of shape
  const readers = [...shape].map(([name, inner]) => [name, compileShape(inner)] as const);
  const changing = readers.filter(([, read]) => read !== same);
  if (changing.length === 0) return same;
  const reviveObject = (object: Record<string, unknown>) => {
    for (const [name, read] of changing) object[name] = read(object[name]);
    return object;
  };
  return (value) => {
    if (Array.isArray(value)) return value.map(reviveObject);
    return value === null ? null : reviveObject(value as Record<string, unknown>); // what json_object() wrote
  };
}

function same(value: unknown): unknown {
  return value;
}
