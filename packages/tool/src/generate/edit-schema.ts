import * as babel from "@babel/types";
import MagicString from "magic-string";
import { addImport, endOf, insert, isFirstOnLine, isNamed, readLineEnd, removeImport, startOf } from "./edit-source.ts";
import { parseNodes } from "./parse-nodes.ts";

/** A table and the type of its rows. */
export interface Table {
  /** `blog_posts` */
  readonly name: string;
  /** `BlogPost` */
  readonly type: string;
  /** Relative to the file of the schema: `../blog-posts/blog-posts.record.ts`. */
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
  if (body === undefined || nodes.some((node) => isNamed(node, type)) || findMember(body, name) !== undefined) {
    return undefined;
  }
  const edit = new MagicString(source);
  const last = body.body.at(-1);
  if (last === undefined) {
    const isOpen = edit.original.slice(startOf(body), endOf(body)).includes("\n");
    insert(edit, endOf(body) - 1, `${isOpen ? "" : "\n"}  ${name}: ${type};\n`);
  } else if (isFirstOnLine(edit, last)) insert(edit, readLineEnd(edit, last).end, `\n  ${name}: ${type};`);
  else insert(edit, endOf(last), `${/[;,]$/.test(textOf(edit, last)) ? "" : ";"} ${name}: ${type};`);
  const statements = nodes.filter((node) => babel.isImportDeclaration(node));
  addImport(edit, statements, path, `import type { ${type} } from "${path}";`);
  return edit.toString();
}

/** Removes a table and the import of its type. Undefined when there is no such table, or its type is used elsewhere. */
export function removeTable(source: string, table: string): string | undefined {
  const nodes = parseNodes(source) ?? [];
  const body = findSchema(nodes);
  const member = body && findMember(body, table);
  const type = member?.typeAnnotation?.typeAnnotation;
  if (body === undefined || !babel.isTSTypeReference(type) || !babel.isIdentifier(type.typeName)) return undefined;
  const edit = new MagicString(source);
  if (member === undefined || !removeImport(edit, nodes, { name: type.typeName.name, uses: 1 })) return undefined;
  if (body.body.length === 1) edit.remove(startOf(body) + 1, endOf(body) - 1);
  else if (isFirstOnLine(edit, member)) {
    const start = edit.original.lastIndexOf("\n", startOf(member));
    edit.remove(start, readLineEnd(edit, member).end);
  } else edit.remove(startOf(member), endOf(member));
  return edit.toString().replace(/^\s+/, "");
}

function findSchema(nodes: readonly babel.Node[]): babel.TSInterfaceBody | undefined {
  const all = nodes.filter((node) => babel.isTSInterfaceDeclaration(node) && isNamed(node.id, "Schema"));
  const [schema] = all;
  return all.length === 1 && babel.isTSInterfaceDeclaration(schema) ? schema.body : undefined;
}

function findMember(body: babel.TSInterfaceBody, name: string): babel.TSPropertySignature | undefined {
  return body.body.filter((member) => babel.isTSPropertySignature(member)).find(({ key }) => isNamed(key, name));
}

function textOf(edit: MagicString, node: babel.Node): string {
  return edit.original.slice(startOf(node), endOf(node));
}
