import * as babel from "@babel/types";
import MagicString from "magic-string";
import {
  addImport,
  addToList,
  insert,
  insertAfter,
  isFirstOnLine,
  isNamed,
  lineBefore,
  objectIn,
  startOf,
  toKey,
} from "./edit-source.ts";
import { parseNodes } from "./parse-nodes.ts";

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
  addImport(edit, statements, path, `import { ${name} } from "${path}";`);
  return edit.toString();
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
  const all = nodes.flatMap((node) => objectIn(node, "defineModule"));
  const ofApp = nodes.flatMap((node) =>
    babel.isVariableDeclarator(node) && isNamed(node.id, "AppModule") ? objectIn(node.init, "defineModule") : [],
  );
  const [object, second] = ofApp.length === 1 ? ofApp : all;
  return second === undefined ? object : undefined;
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
