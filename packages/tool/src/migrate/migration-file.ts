import { readdirSync } from "node:fs";
import { join } from "node:path";
import { isIdentifier } from "@babel/types";
import { BindError, HttpError } from "@tenon/core";
import { exists } from "../files.ts";
import { appModuleFile, dataModuleFile, readIfPresent, toByHand, wire } from "../generate/application.ts";
import { type Wiring, write } from "../generate/edit/changes.ts";
import { parseNodes } from "../generate/edit/parse-nodes.ts";
import { toTable } from "../names.ts";
import { findPackage } from "../run/entry-point.ts";
import { readTemplate } from "../templates.ts";
import { addToOwner, parseNewColumn, toColumnStatements } from "./module-migrations.ts";

const migrationsFolder = "src/migrations";
const ownerFile = "src/app.migrations.ts";
const longestName = 60;

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
  const files = owned === undefined ? await readFiles(folder, name) : new Map();
  return write(folder, files, owned === undefined ? wireOwner(folder) : [owned]).join("");
}

function checkName(name: string): void {
  if (name.length <= longestName && /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(name)) return;
  const message = `must be lower-case words of letters and digits, joined with -, at most ${longestName} characters: add-status-to-posts`;
  throw new BindError([{ in: "params", path: "name", rule: "name", message }]);
}

/** From a name such as `create-posts` or `add-status-to-posts`; any other migration fails until it is written. */
function readFiles(folder: string, name: string): Promise<Map<string, string>> {
  const column = parseNewColumn(name);
  const [, created] = /^create-(.+)$/.exec(name) ?? [];
  return readTemplate("module-migration", {
    names: new Map([["sample-migration", `${nextNumber(folder)}-${name}`]]),
    isWanted: (path) => path !== ownerFile || !exists(join(folder, ownerFile)),
    model: {
      column: column === undefined ? undefined : toColumnStatements(column),
      table: created === undefined ? undefined : toTable(created),
    },
  });
}

/** Files run in the order of their names. */
function nextNumber(folder: string): string {
  const path = join(folder, migrationsFolder);
  const names = exists(path) ? readdirSync(path) : [];
  const last = Math.max(0, ...names.map((file) => Number(/^\d+/.exec(file)?.[0] ?? 0)));
  return String(last + 1).padStart(3, "0");
}

/** Declared in the root module, which is constructed last: its migrations run after those that create the tables. */
function wireOwner(folder: string): Wiring[] {
  const nodes = parseNodes(readIfPresent(folder, appModuleFile) ?? "") ?? [];
  const mentions = (name: string) => nodes.some((node) => isIdentifier(node, { name }));
  if (mentions("AppMigrations")) return [];
  const data = { list: "imports", name: "DataModule", path: "./data.module.ts" } as const;
  const owner = { list: "declarations", name: "AppMigrations", path: "./app.migrations.ts" } as const;
  const classes = mentions("DataModule") ? [owner] : [data, owner];
  const isKnown = mentions("DataModule") || exists(join(folder, dataModuleFile));
  return [isKnown ? wire(folder, appModuleFile, classes) : toByHand(appModuleFile, classes)];
}
