import * as babel from "@babel/types";
import MagicString from "magic-string";
import { parseNodes } from "../parse-nodes.ts";
import { lineWidth } from "../templates.ts";

// the parser sets the positions, which the types leave open for nodes that are built by hand
const startOf = ({ start }: babel.Node) => start ?? 0;
const endOf = ({ end }: babel.Node) => end ?? 0;

export interface AddedClass {
  /** `BlogPostsModule` */
  readonly name: string;
  /** Relative to the edited file: `./blog-posts/blog-posts.module.ts`. */
  readonly path: string;
}

export type ModuleList = "imports" | "declarations";

/**
 * Adds a class to a list of a module and leaves the rest of the source as it is. Undefined when the source is not
 * clear enough to edit.
 */
export function addToModule(source: string, list: ModuleList, { name, path }: AddedClass): string | undefined {
  const nodes = parseNodes(source);
  if (nodes === undefined || nodes.some((node) => isNamed(node, name))) return undefined;
  const statements = nodes.filter((node) => babel.isImportDeclaration(node));
  const object = statements.some(importsDefineModule) ? findModuleObject(nodes) : undefined;
  const edit = new MagicString(source);
  if (object === undefined || !addToObject(edit, object, list, name)) return undefined;
  addStatement(edit, statements, path, `import { ${name} } from "${path}";`);
  return edit.toString();
}

function isNamed(node: babel.Node, name: string): boolean {
  return babel.isIdentifier(node, { name });
}

function importsDefineModule({ source, specifiers }: babel.ImportDeclaration): boolean {
  const isFound = specifiers.some(
    (one) =>
      babel.isImportSpecifier(one) && isNamed(one.imported, "defineModule") && isNamed(one.local, "defineModule"),
  );
  return isFound && source.value === "@tenon/core";
}

/** The object in the only `defineModule({ … })`, or in the one that `AppModule` is set to. */
function findModuleObject(nodes: readonly babel.Node[]): babel.ObjectExpression | undefined {
  const all = nodes.flatMap(toModuleObject);
  const ofApp = nodes.flatMap((node) =>
    babel.isVariableDeclarator(node) && isNamed(node.id, "AppModule") ? toModuleObject(node.init) : [],
  );
  const [object, second] = ofApp.length === 1 ? ofApp : all;
  return second === undefined ? object : undefined;
}

function toModuleObject(node: babel.Node | null | undefined): babel.ObjectExpression[] {
  if (!babel.isCallExpression(node) || !isNamed(node.callee, "defineModule")) return [];
  return node.arguments.slice(0, 1).filter((argument) => babel.isObjectExpression(argument));
}

/** False when the list may have another form than `imports: [ … ]`. */
function addToObject(edit: MagicString, object: babel.ObjectExpression, listName: ModuleList, name: string): boolean {
  const keys = object.properties.map(toKey);
  const lists = object.properties.filter((_, index) => keys[index] === listName);
  const [list] = lists;
  if (keys.includes(undefined) || lists.length > 1) return false;
  if (list === undefined) addList(edit, object, keys, `${listName}: [${name}]`);
  else if (babel.isObjectProperty(list) && babel.isArrayExpression(list.value)) addToList(edit, list.value, name);
  else return false;
  return true;
}

/** Undefined for a spread and for a computed key: either may be the list of imports. */
function toKey(property: babel.ObjectExpression["properties"][number]): string | undefined {
  if (babel.isSpreadElement(property) || property.computed) return undefined;
  if (babel.isIdentifier(property.key)) return property.key.name;
  return babel.isStringLiteral(property.key) ? property.key.value : "";
}

/** Adds the list after the name of the module and its imports, or as the first property. */
function addList(
  edit: MagicString,
  object: babel.ObjectExpression,
  keys: readonly (string | undefined)[],
  list: string,
): void {
  const [first] = object.properties;
  const start = startOf(object) + 1;
  const isDeclarations = list.startsWith("declarations");
  const index = isDeclarations && keys.includes("imports") ? keys.indexOf("imports") : keys[0] === "name" ? 0 : -1;
  const previous = object.properties[index];
  if (first === undefined) insert(edit, start, ` ${list} `);
  else if (previous !== undefined) insertAfter(edit, previous, list);
  else insert(edit, start, `${isFirstOnLine(edit, first) ? `\n${lineBefore(edit, first)}` : " "}${list},`);
}

function addToList(edit: MagicString, list: babel.ArrayExpression, name: string): void {
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

const collator = new Intl.Collator("en", { numeric: true });

/** Formatters sort imports folder by folder, and `./item-2` before `./item-10`. */
export function comparePaths(left: string, right: string): number {
  const others = right.split("/");
  const isAbove = (path: string) => path.startsWith("../");
  if (isAbove(left) !== isAbove(right)) return isAbove(left) ? -1 : 1;
  const orders = left.split("/").map((part, index) => collator.compare(part, others[index] ?? ""));
  return orders.find((order) => order !== 0) ?? 0;
}

/** Removes a class from all lists of the module, and its import statement. Undefined when it is used elsewhere too. */
export function removeFromModule(source: string, name: string): string | undefined {
  const nodes = parseNodes(source) ?? [];
  const statement = nodes.find(
    (node) =>
      babel.isImportDeclaration(node) && node.specifiers.length === 1 && node.specifiers[0]?.local.name === name,
  );
  const lists = nodes.filter(
    (node) => babel.isArrayExpression(node) && node.elements.some((item) => isItem(item, name)),
  );
  const edit = new MagicString(source);
  let uses = 0;
  for (const list of lists) {
    if (!babel.isArrayExpression(list)) continue;
    uses += list.elements.filter((item) => isItem(item, name)).length;
    removeFromList(edit, list, name);
  }
  const identifiers = nodes.filter((node) => isNamed(node, name)).length;
  const inStatement =
    statement === undefined ? 0 : nodes.filter((node) => isNamed(node, name) && isInside(node, statement)).length;
  if (statement === undefined || uses === 0 || identifiers !== uses + inStatement) return undefined;
  const { end } = readLineEnd(edit, statement);
  const after = /^\r?\n/.exec(source.slice(end))?.[0].length ?? 0;
  edit.remove(startOf(statement), end + after);
  return edit.toString();
}

function isItem(item: babel.Node | null, name: string): boolean {
  return item !== null && isNamed(item, name);
}

function isInside(node: babel.Node, outer: babel.Node): boolean {
  return startOf(node) >= startOf(outer) && endOf(node) <= endOf(outer);
}

function removeFromList(edit: MagicString, list: babel.ArrayExpression, name: string): void {
  const items = list.elements.filter((item) => item !== null);
  const index = items.findIndex((item) => isItem(item, name));
  const item = items[index];
  if (item === undefined) return;
  const previous = items[index - 1];
  const next = items[index + 1];
  if (isFirstOnLine(edit, item)) {
    const { end } = readLineEnd(edit, item);
    edit.remove(startOf(item) - lineBefore(edit, item).length, end + 1);
  } else if (previous !== undefined) edit.remove(endOf(previous), endOf(item));
  else edit.remove(startOf(item), next === undefined ? endOf(item) : startOf(next));
}

function addStatement(
  edit: MagicString,
  statements: readonly babel.ImportDeclaration[],
  path: string,
  statement: string,
): void {
  const last = statements.at(-1);
  const next = statements.find(({ source }) => /^\.\.?\//.test(source.value) && comparePaths(source.value, path) > 0);
  if (next !== undefined) insert(edit, startOf(next), `${statement}\n`);
  else if (last !== undefined) insert(edit, readLineEnd(edit, last).end, `\n${statement}`);
}

/** Adds an item after another, on a line of its own if the other begins its line. Commas separate the items. */
function insertAfter(edit: MagicString, item: babel.Node, added: string): void {
  if (isFirstOnLine(edit, item)) {
    const { comma, end } = readLineEnd(edit, item);
    if (comma === "") insert(edit, endOf(item), ",");
    insert(edit, end, `\n${lineBefore(edit, item)}${added}${comma}`);
  } else insert(edit, endOf(item), `, ${added}`);
}

function insert(edit: MagicString, at: number, text: string): void {
  edit.appendLeft(at, edit.original.includes("\r\n") ? text.replaceAll("\n", "\r\n") : text);
}

function lineBefore(edit: MagicString, node: babel.Node): string {
  return edit.original.slice(edit.original.lastIndexOf("\n", startOf(node) - 1) + 1, startOf(node));
}

function isFirstOnLine(edit: MagicString, node: babel.Node): boolean {
  return lineBefore(edit, node).trim() === "";
}

/** The comma after a node, if it is on the same line, and the end of this line: comments on it belong to the node. */
function readLineEnd(edit: MagicString, node: babel.Node): { readonly comma: string; readonly end: number } {
  const pattern = /^(?:[ \t]|\/\*.*?\*\/)*(,?)(?:[ \t]|\/\*.*?\*\/)*(?:\/\/.*)?/;
  const [text = "", comma = ""] = pattern.exec(edit.original.slice(endOf(node))) ?? [];
  return { comma, end: endOf(node) + text.trimEnd().length };
}
