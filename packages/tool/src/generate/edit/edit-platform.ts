import * as babel from "@babel/types";
import MagicString from "magic-string";
import { addImport, addToList, insertAfter, isNamed, objectIn, toKey } from "./edit-source.ts";
import { parseNodes } from "./parse-nodes.ts";

export interface PlatformAddition {
  readonly middleware: string;
  /** The function for `web({ share })`. */
  readonly share: string;
  /** Exports both, relative to the edited file. */
  readonly path: string;
}

/**
 * Adds a middleware and `share` to the only `web({ middlewares: [ … ] })` of a source. Undefined when the source is not
 * clear enough to edit.
 */
export function addToPlatform(source: string, { middleware, share, path }: PlatformAddition): string | undefined {
  const nodes = parseNodes(source) ?? [];
  const [object, second] = nodes.flatMap((node) => objectIn(node, "web"));
  const keys = object?.properties.map(toKey) ?? [];
  const list = object?.properties[keys.indexOf("middlewares")];
  const isClear = second === undefined && !keys.includes(undefined) && !keys.includes("share");
  if (!isClear || !babel.isObjectProperty(list) || !babel.isArrayExpression(list.value)) return undefined;
  if (nodes.some((node) => isNamed(node, middleware) || isNamed(node, share))) return undefined;
  const edit = new MagicString(source);
  addToList(edit, list.value, middleware);
  insertAfter(edit, list, `share: ${share}`);
  const statements = nodes.filter((node) => babel.isImportDeclaration(node));
  addImport(edit, statements, path, `import { ${middleware}, ${share} } from "${path}";`);
  return edit.toString();
}
