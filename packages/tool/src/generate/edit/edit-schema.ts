import * as babel from "@babel/types";
import MagicString from "magic-string";
import { addImport, endOf, insert, isFirstOnLine, isNamed, readLineEnd, startOf } from "./edit-source.ts";
import { parseNodes } from "./parse-nodes.ts";

/** A table and the type of its rows. */
export interface Table {
  /** `blog_posts` */
  readonly name: string;
  /** `BlogPost` */
  readonly type: string;
  /** Relative to the file of the schema: `../blog-posts/blog-posts.dto.ts`. */
  readonly path: string;
}

/** The schema of an application that has none yet. */
export const emptySchema = `/** The tables of all modules, so that queries across modules are typed: \`inject(Database<Schema>)\`. */
export interface Schema {}
`;

/** Adds a table to the interface `Schema`. Undefined when the source is not clear enough to edit. */
export function addTable(source: string, { name, type, path }: Table): string | undefined {
  const nodes = parseNodes(source) ?? [];
  const body = findSchema(nodes);
  if (body === undefined || nodes.some((node) => isNamed(node, type))) return undefined;
  if (body.body.some((member) => babel.isTSPropertySignature(member) && isNamed(member.key, name))) return undefined;
  const edit = new MagicString(source);
  const last = body.body.at(-1);
  if (last === undefined) {
    const isOpen = textOf(edit, body).includes("\n");
    insert(edit, endOf(body) - 1, `${isOpen ? "" : "\n"}  ${name}: ${type};\n`);
  } else if (isFirstOnLine(edit, last)) insert(edit, readLineEnd(edit, last).end, `\n  ${name}: ${type};`);
  else insert(edit, endOf(last), `${/[;,]$/.test(textOf(edit, last)) ? "" : ";"} ${name}: ${type};`);
  const statements = nodes.filter((node) => babel.isImportDeclaration(node));
  addImport(edit, statements, path, `import type { ${type} } from "${path}";`);
  return edit.toString();
}

function findSchema(nodes: readonly babel.Node[]): babel.TSInterfaceBody | undefined {
  const all = nodes.filter((node) => babel.isTSInterfaceDeclaration(node) && isNamed(node.id, "Schema"));
  const [schema] = all;
  return all.length === 1 && babel.isTSInterfaceDeclaration(schema) ? schema.body : undefined;
}

function textOf(edit: MagicString, node: babel.Node): string {
  return edit.original.slice(startOf(node), endOf(node));
}
