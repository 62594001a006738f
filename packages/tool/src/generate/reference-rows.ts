import type { ModuleNames } from "../names.ts";
import { formatCode } from "../templates.ts";
import type { Target } from "./targets.ts";

/** A file for the tests of a resource that refers to others; none for one that does not. */
export async function toReferencesFile(
  { plural }: ModuleNames,
  targets: ReadonlyMap<string, Target>,
): Promise<[path: string, text: string][]> {
  const inserts = new Map([...targets.values()].flatMap(toInserts));
  if (inserts.size === 0) return [];
  const text = `import type { App } from "@tenon/core";
import { Database } from "@tenon/data";
import type { Schema } from "../../src/database/schema.ts";

/** The rows that ${plural.replaceAll("-", " ")} of the tests refer to: their id is "sample". */
export async function createReferences(app: App): Promise<void> {
  const db = app.get(Database<Schema>);
${[...inserts.values()].join("")}}
`;
  return [[`test/support/${plural}.references.ts`, await formatCode(text)]];
}

/** One statement for each table, those that others refer to first. */
function toInserts({ table, columns, references }: Target): [table: string, statement: string][] {
  const values = [...columns].map(([name, type]) => `${name}: ${toValue(name, type, references.has(name))}`);
  const insert = `  await db.insertInto("${table}").values({ ${values.join(", ")} }).execute();\n`;
  return [...[...references.values()].flatMap(toInserts), [table, insert]];
}

function toValue(name: string, type: string, isReference: boolean): string {
  if (name === "id" || isReference) return '"sample"';
  if (/\bnull\b/.test(type)) return "null";
  if (type === "boolean") return "true";
  if (type === "number") return "1";
  return name.endsWith("_at") ? '"2026-01-01T00:00:00.000Z"' : '"Sample"';
}
