import * as babel from "@babel/types";
import MagicString from "magic-string";
import { addImport, addToList, insertAfter, isNamed } from "./edit-source.ts";
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
  const [object, second] = nodes.flatMap(toOptions);
  const keys = object?.properties.map((one) => (babel.isObjectProperty(one) ? toName(one) : undefined)) ?? [];
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

/** Removes what `addToPlatform` has added for the users. The same text when more than that uses it. */
export function removeFromPlatform(source: string): string {
  const edited = source
    .replace(/^import \{ CurrentUser, shareUser \} from .*\r?\n/m, "")
    .replace(/, CurrentUser\b/, "")
    .replace(/\n *share: shareUser,/, "");
  return /CurrentUser|shareUser/.test(edited) ? source : edited;
}

function toOptions(node: babel.Node): babel.ObjectExpression[] {
  if (!babel.isCallExpression(node) || !isNamed(node.callee, "web")) return [];
  return node.arguments.slice(0, 1).filter((argument) => babel.isObjectExpression(argument));
}

function toName({ key, computed }: babel.ObjectProperty): string | undefined {
  return !computed && babel.isIdentifier(key) ? key.name : undefined;
}
