import * as babel from "@babel/types";
import MagicString from "magic-string";
import { readIfPresent } from "../generate/application.ts";
import type { Change } from "../generate/edit/changes.ts";
import { endOf, insert, isNamed, readLineEnd } from "../generate/edit/edit-source.ts";
import { parseNodes } from "../generate/edit/parse-nodes.ts";
import { toTable } from "../names.ts";
import { formatCode } from "../templates.ts";

export interface NewColumn {
  readonly column: string;
  /** In the spelling of names: `blog-posts`. */
  readonly table: string;
}

/** From a name such as `add-status-to-posts`. */
export function parseNewColumn(name: string): NewColumn | undefined {
  const [, column, table] = /^add-(.+)-to-(.+)$/.exec(name) ?? [];
  return column === undefined || table === undefined ? undefined : { column, table };
}

/** The functions that add the column and remove it, as source. */
export function toColumnStatements({ column, table }: NewColumn): { readonly up: string; readonly down: string } {
  const alter = `db.schema.alterTable("${toTable(table)}")`;
  return {
    up: `${alter}.addColumn("${toTable(column)}", "text").execute()`,
    down: `${alter}.dropColumn("${toTable(column)}").execute()`,
  };
}

/**
 * Adds the migration to the list of the generated module that owns the table, so that its tests and every entry point
 * have the column. Undefined when there is no such module, or its list is not clear enough to edit.
 */
export async function addToOwner(folder: string, added: NewColumn): Promise<Change | undefined> {
  const { table, column } = added;
  const path = `src/${table}/${table}.migrations.ts`;
  const source = readIfPresent(folder, path) ?? "";
  const list = findList(parseNodes(source) ?? []);
  const last = list?.elements.at(-1);
  if (list === undefined || last === undefined || last === null) return undefined;
  const migration = `${table}-${nextNumber(list, table)}-add-${column}`;
  const { up, down } = toColumnStatements(added);
  const code = `const list = [
  {
    name: "${migration}",
    draft: true, // remove this line when the migration is complete: until then, it does not run
    up: (db) => ${up},
    down: (db) => ${down},
  },
];
`;
  const lines = (await formatCode(code)).split("\n").slice(1, -2);
  const edit = new MagicString(source);
  const { comma, end } = readLineEnd(edit, last);
  if (comma === "") insert(edit, endOf(last), ",");
  insert(edit, end, `\n${lines.join("\n")}`);
  return { path, before: source, after: edit.toString(), note: `has ${migration}` };
}

/** The list that the file exports as `migrations`. */
function findList(nodes: readonly babel.Node[]): babel.ArrayExpression | undefined {
  const [found, ...others] = nodes.filter(
    (node) => babel.isVariableDeclarator(node) && isNamed(node.id, "migrations") && babel.isArrayExpression(node.init),
  );
  if (others.length > 0 || !babel.isVariableDeclarator(found)) return undefined;
  return babel.isArrayExpression(found.init) ? found.init : undefined;
}

/** One more than the highest number of a name such as `posts-001`. */
function nextNumber(list: babel.ArrayExpression, table: string): string {
  const names = list.elements
    .filter((element) => babel.isObjectExpression(element))
    .flatMap(({ properties }) => properties.filter((property) => babel.isObjectProperty(property)))
    .flatMap(({ key, value }) => (isNamed(key, "name") && babel.isStringLiteral(value) ? [value.value] : []));
  const numbers = names.map((name) => Number(new RegExp(`^${table}-(\\d+)`).exec(name)?.[1] ?? 0));
  return String(Math.max(0, ...numbers) + 1).padStart(3, "0");
}
