import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { HttpError } from "@tenon/core";
import { toModuleNames } from "../names.ts";
import { checkApplication, readIfPresent } from "./application.ts";
import { applyChanges, type Change, describeChange } from "./changes.ts";
import { hashOf, readRecord, toRecordChange } from "./generated-record.ts";
import { type PartKind, toPartClass } from "./parts.service.ts";
import { findUnusedLive } from "./shared-modules.ts";
import { unwireAuth, unwireModule, unwirePart } from "./unwire.ts";

export interface Destroyed {
  readonly kind: "module" | "resource" | "auth" | PartKind;
  readonly name: string;
  /** Removes files that were changed since they were generated, and those that others import. */
  readonly force: boolean;
  /** The folder of the application. */
  readonly folder: string;
}

/** Removes what a generator has made, by the record of its files. */
export class DestroyService {
  destroy({ kind, name, force, folder }: Destroyed): string[] {
    checkApplication(folder);
    const record = readRecord(folder);
    const isModule = kind === "module" || kind === "resource";
    const keys = isModule ? [`module ${name}`, `module ${toModuleNames(name).plural}`] : [`${kind} ${name}`];
    const key = keys.find((one) => Object.hasOwn(record, one));
    if (key === undefined) throw new HttpError(404, toUnknown(kind, name, Object.keys(record)));
    const { [key]: files = {}, ...others } = record;
    const own = Object.entries(files).flatMap(([path, hash]) => toRemoval(folder, path, hash, force));
    const unused = kind === "channel" ? findUnusedLive(folder, own) : { modules: [], files: [] };
    const removed = [...own, ...unused.files];
    const generated = key.slice(key.indexOf(" ") + 1);
    const edits = isModule
      ? unwireModule(folder, generated)
      : kind === "auth"
        ? unwireAuth(folder)
        : unwirePart(folder, toPartClass(kind, name), own, unused.modules);
    if (!force) checkImports(folder, removed, edits);
    const changes = [...removed, ...edits];
    applyChanges(folder, [...changes, toRecordChange(folder, withHashes(others, edits))]);
    return [...changes.map((change) => describeChange(change)), ...toDropMigration(generated, removed)];
  }
}

function toUnknown(kind: string, name: string, keys: readonly string[]): string {
  return `there is no ${kind} ${name} that tenon has generated, only: ${keys.join(", ") || "nothing"}`;
}

function toRemoval(folder: string, path: string, hash: string, force: boolean): Change[] {
  const before = readIfPresent(folder, path);
  if (before === undefined) return []; // it was removed by hand
  if (hashOf(before) === hash || force) return [{ path, before, after: undefined }];
  throw new HttpError(409, `${path} was changed since it was generated: remove it with --force; nothing was changed`);
}

/** Refuses to remove a file that another one imports. */
function checkImports(folder: string, removed: readonly Change[], edits: readonly Change[]): void {
  const gone = new Set(removed.map(({ path }) => path));
  const edited = new Map(edits.map(({ path, after }) => [path, after]));
  for (const path of globSync("{src,test}/**/*.ts", { cwd: folder }).map((found) => found.replaceAll("\\", "/"))) {
    if (gone.has(path)) continue;
    const text = edited.get(path) ?? readFileSync(join(folder, path), "utf8");
    for (const [, imported = ""] of text.matchAll(/from "(\.{1,2}\/[^"]+)"/g)) {
      const target = join(path, "..", imported).replaceAll("\\", "/");
      if (!gone.has(target)) continue;
      throw new HttpError(409, `${path} imports ${target}: change it first, or use --force; nothing was changed`);
    }
  }
}

/** Edits of this tool keep generated files unchanged in the sense of the record. */
function withHashes(record: ReturnType<typeof readRecord>, edits: readonly Change[]): ReturnType<typeof readRecord> {
  const entries = Object.entries(record).map(([key, files]) => {
    const hashes = Object.entries(files).map(([path, hash]) => {
      const edit = edits.find((one) => one.path === path);
      return [path, edit?.before !== undefined && hashOf(edit.before) === hash ? hashOf(edit.after ?? "") : hash];
    });
    return [key, Object.fromEntries(hashes)];
  });
  return Object.fromEntries(entries);
}

function toDropMigration(plural: string, removed: readonly Change[]): string[] {
  if (!removed.some(({ path }) => path.endsWith(".migrations.ts"))) return [];
  const table = plural.replaceAll("-", "_");
  return [
    `\nThe table ${table} and its rows are still in the database. To drop it, add a migration to dataModule():\n`,
    "  {\n",
    `    name: "drop-${plural}",\n`,
    `    up: (db) => db.schema.dropTable("${table}").execute(),\n`,
    "  },\n",
  ];
}
