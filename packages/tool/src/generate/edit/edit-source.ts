import * as babel from "@babel/types";
import type MagicString from "magic-string";
import { lineWidth } from "../../templates.ts";

type Node = babel.Node;

// the parser sets the positions, which the types leave open for nodes that are built by hand
export const startOf = ({ start }: Node) => start ?? 0;
export const endOf = ({ end }: Node) => end ?? 0;

export function isNamed(node: Node, name: string): boolean {
  return babel.isIdentifier(node, { name });
}

/** The object in `callee({ … })`; none for any other node. */
export function objectIn(node: Node | null | undefined, callee: string): babel.ObjectExpression[] {
  if (!babel.isCallExpression(node) || !isNamed(node.callee, callee)) return [];
  return node.arguments.slice(0, 1).filter((argument) => babel.isObjectExpression(argument));
}

/** The key of a property. Undefined for a spread and for a computed key, which may be any. */
export function toKey(property: babel.ObjectExpression["properties"][number]): string | undefined {
  if (babel.isSpreadElement(property) || property.computed) return undefined;
  if (babel.isIdentifier(property.key)) return property.key.name;
  return babel.isStringLiteral(property.key) ? property.key.value : "";
}

const collator = new Intl.Collator("en", { numeric: true });

/** Formatters sort imports folder by folder, and `./item-2` before `./item-10`. */
export function comparePaths(left: string, right: string): number {
  const others = right.split("/");
  const isAbove = (path: string) => path.startsWith("../");
  if (isAbove(left) !== isAbove(right)) return isAbove(left) ? -1 : 1;
  const orders = left.split("/").map((part, index) => collator.compare(part, others[index] ?? ""));
  return orders.find((order) => order !== 0) ?? 0;
}

/** Adds an import statement among the others, sorted as formatters do. */
export function addImport(
  edit: MagicString,
  statements: readonly babel.ImportDeclaration[],
  path: string,
  statement: string,
): void {
  const last = statements.at(-1);
  const next = statements.find(({ source }) => /^\.\.?\//.test(source.value) && comparePaths(source.value, path) > 0);
  if (next !== undefined) insert(edit, startOf(next), `${statement}\n`);
  else if (last !== undefined) insert(edit, readLineEnd(edit, last).end, `\n${statement}`);
  else insert(edit, 0, `${statement}\n\n`);
}

/** With the line endings of the file. */
export function insert(edit: MagicString, at: number, text: string): void {
  edit.appendLeft(at, edit.original.includes("\r\n") ? text.replaceAll("\n", "\r\n") : text);
}

export function lineBefore(edit: MagicString, node: Node): string {
  return edit.original.slice(edit.original.lastIndexOf("\n", startOf(node) - 1) + 1, startOf(node));
}

export function isFirstOnLine(edit: MagicString, node: Node): boolean {
  return lineBefore(edit, node).trim() === "";
}

/** The comma after a node, if it is on the same line, and the end of this line: comments on it belong to the node. */
export function readLineEnd(edit: MagicString, node: Node): { readonly comma: string; readonly end: number } {
  const pattern = /^(?:[ \t]|\/\*.*?\*\/)*(,?)(?:[ \t]|\/\*.*?\*\/)*(?:\/\/.*)?/;
  const [text = "", comma = ""] = pattern.exec(edit.original.slice(endOf(node))) ?? [];
  return { comma, end: endOf(node) + text.trimEnd().length };
}

/** Adds an item to an array, on lines of their own when the line would be too wide. */
export function addToList(edit: MagicString, list: babel.ArrayExpression, name: string): void {
  const items = list.elements.filter((item) => item !== null);
  const last = items.at(-1);
  if (isTooWideWith(edit, list, `, ${name}`)) {
    const indent = /^\s*/.exec(lineBefore(edit, list))?.[0] ?? "";
    const texts = items.map((item) => edit.slice(startOf(item), endOf(item)));
    edit.remove(startOf(list) + 1, endOf(list) - 1);
    insert(edit, startOf(list) + 1, `\n${[...texts, name].map((text) => `${indent}  ${text},\n`).join("")}${indent}`);
  } else if (last === undefined) insert(edit, startOf(list) + 1, name);
  else insertAfter(edit, last, name);
}

/** False for a list on several lines, and for one with a comment, which would have to move. */
function isTooWideWith(edit: MagicString, list: babel.ArrayExpression, added: string): boolean {
  const [after = ""] = edit.original.slice(startOf(list)).split(/\r?\n/, 1);
  const width = lineBefore(edit, list).length + after.length + added.length;
  return width > lineWidth && !/\n|\/\*/.test(edit.slice(startOf(list), endOf(list)));
}

/** Adds an item after another, on a line of its own if the other begins its line. Commas separate the items. */
export function insertAfter(edit: MagicString, item: babel.Node, added: string): void {
  if (isFirstOnLine(edit, item)) {
    const { comma, end } = readLineEnd(edit, item);
    if (comma === "") insert(edit, endOf(item), ",");
    insert(edit, end, `\n${lineBefore(edit, item)}${added}${comma}`);
  } else insert(edit, endOf(item), `, ${added}`);
}
