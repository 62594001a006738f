import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isIdentifier } from "@babel/types";
import { BindError, HttpError } from "@tenon/core";
import { exists } from "../files.ts";
import { type AddedClass, addToModule, type ModuleList } from "../generate/edit-module.ts";
import { parseNodes } from "../generate/parse-nodes.ts";
import { findPackage } from "../run/entry-point.ts";
import { formatCode } from "../templates.ts";
import { addToOwner, parseNewColumn, toColumnStatements } from "./module-migrations.ts";

const migrationsFolder = "src/migrations";
const ownerFile = "src/app.migrations.ts";
const appModuleFile = "src/app.module.ts";
const dataModuleFile = "src/data.module.ts";
const longestName = 60;

/** Declared in the root module, which is constructed last: its migrations run after those that create the tables. */
const ownerText = `import { inject } from "@tenon/core";
import { Migrations } from "@tenon/data";

/** Adds the files of src/migrations after the migrations of all modules. */
export class AppMigrations {
  constructor() {
    inject(Migrations).add({ folder: new URL("./migrations/", import.meta.url) });
  }
}
`;

/**
 * Writes the next migration and, with the first one, the class that adds the folder. Writes all of it or nothing. A new
 * column of a generated module is a migration of this module.
 */
export async function makeMigration(folder: string, name: string): Promise<string> {
  checkName(name);
  if (findPackage(folder, "@tenon/data") === undefined) {
    throw new HttpError(404, `@tenon/data is not installed in ${folder}: npm install @tenon/data`);
  }
  const column = parseNewColumn(name);
  const owned = column === undefined ? undefined : await addToOwner(folder, column);
  if (owned !== undefined) {
    writeFileSync(join(folder, owned.path), owned.text);
    return `changed  ${owned.path}: has ${owned.migration}\n`;
  }
  const path = `${migrationsFolder}/${nextNumber(folder)}-${name}.ts`;
  const files = new Map([[path, await formatCode(toMigration(name, path))]]);
  if (!exists(join(folder, ownerFile))) files.set(ownerFile, ownerText);
  const wiring = wire(folder);
  createAll(folder, files);
  if (wiring.text !== undefined) writeFileSync(join(folder, appModuleFile), wiring.text);
  return [...[...files.keys()].map((file) => `created  ${file}\n`), wiring.line].join("");
}

function checkName(name: string): void {
  if (name.length <= longestName && /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(name)) return;
  const message = `must be lower-case words of letters and digits, joined with -, at most ${longestName} characters: add-status-to-posts`;
  throw new BindError([{ in: "params", path: "name", rule: "name", message }]);
}

/** Files run in the order of their names. */
function nextNumber(folder: string): string {
  const path = join(folder, migrationsFolder);
  const names = exists(path) ? readdirSync(path) : [];
  const last = Math.max(0, ...names.map((file) => Number(/^\d+/.exec(file)?.[0] ?? 0)));
  return String(last + 1).padStart(3, "0");
}

function toMigration(name: string, path: string): string {
  const { up, down } = toStatements(name, path);
  return `import type { Migration } from "@tenon/data";

export const up: Migration["up"] = (db) => ${up};

export const down: Migration["down"] = (db) => ${down};
`.replaceAll(/\(db\) => (?=Promise)/g, "() => ");
}

/** From a name such as `create-posts` or `add-status-to-posts`; any other migration fails until it is written. */
function toStatements(name: string, path: string): { readonly up: string; readonly down: string } {
  const column = parseNewColumn(name);
  if (column !== undefined) return toColumnStatements(column);
  const toName = (words: string) => JSON.stringify(words.replaceAll("-", "_"));
  const [, created] = /^create-(.+)$/.exec(name) ?? [];
  if (created === undefined) {
    const reject = `Promise.reject(new Error("write ${path} first"))`;
    return { up: reject, down: reject };
  }
  return {
    up: `
  db.schema
    .createTable(${toName(created)})
    .addColumn("id", "text", (column) => column.primaryKey())
    .execute()`,
    down: `db.schema.dropTable(${toName(created)}).execute()`,
  };
}

interface Wiring {
  /** The new text of the application's module; undefined when it stays as it is. */
  readonly text?: string;
  readonly line: string;
}

/** Declares AppMigrations in the application's module, or leaves the file alone and says what to add. */
function wire(folder: string): Wiring {
  const file = join(folder, appModuleFile);
  const source = exists(file) ? readFileSync(file, "utf8") : "";
  if (mentions(source, "AppMigrations")) return { line: "" };
  const steps: Step[] = [["declarations", { name: "AppMigrations", path: "./app.migrations.ts" }]];
  if (!mentions(source, "DataModule") && exists(join(folder, dataModuleFile))) {
    steps.unshift(["imports", { name: "DataModule", path: "./data.module.ts" }]);
  }
  const hasData = mentions(source, "DataModule") || steps.length > 1;
  const text = hasData ? steps.reduce<string | undefined>(addStep, source) : undefined;
  if (text !== undefined) return { text, line: `changed  ${appModuleFile}: declares AppMigrations\n` };
  return {
    line: `\n${appModuleFile} could not be edited and is unchanged. Declare AppMigrations of ${ownerFile} in the module of your application, and import the module of the database there.\n`,
  };
}

type Step = readonly [list: ModuleList, added: AddedClass];

function addStep(text: string | undefined, [list, added]: Step): string | undefined {
  return text === undefined ? undefined : addToModule(text, list, added);
}

function mentions(source: string, name: string): boolean {
  return (parseNodes(source) ?? []).some((node) => isIdentifier(node, { name }));
}

/** Removes what it has written when a file cannot be written. */
function createAll(folder: string, files: ReadonlyMap<string, string>): void {
  const written: string[] = [];
  try {
    for (const [path, text] of files) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text, { flag: "wx" });
      written.push(path);
    }
  } catch (error) {
    for (const path of written) rmSync(join(folder, path));
    throw new HttpError(409, `nothing was created: ${error instanceof Error ? error.message : String(error)}`);
  }
}
