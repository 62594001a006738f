import { readdir } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import type { Transaction } from "kysely";

export interface Migration {
  /** Recorded in the store, so it must never change. Migrations run in the order of the list. */
  readonly name: string;
  // biome-ignore lint/suspicious/noExplicitAny: a migration sees tables that no current schema type describes
  up(db: Transaction<any>): Promise<unknown>;
  /** It is not complete: running it fails, so that `tenon dev` does not apply it at the restart after `migrate make`. */
  readonly draft?: boolean;
  /** Reverts `up()`. Without it the migration cannot be reverted. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  down?(db: Transaction<any>): Promise<unknown>;
}

/** A list of migrations, or a folder of files that each export `up` and optionally `down`, in the order of their names. */
export type MigrationSource = readonly Migration[] | { readonly folder: string | URL };

/** The migrations of all sources, in order. Throws when two have the same name. */
export async function loadMigrations(sources: readonly MigrationSource[]): Promise<Migration[]> {
  const lists = await Promise.all(
    sources.map((source) => ("folder" in source ? readFolder(source.folder) : Promise.resolve(source))),
  );
  const migrations = lists.flat();
  const seen = new Set<string>();
  for (const { name } of migrations) {
    if (seen.has(name)) throw new Error(`two migrations are named "${name}"`);
    seen.add(name);
  }
  return migrations;
}

async function readFolder(folder: string | URL): Promise<Migration[]> {
  const base = typeof folder === "string" ? pathToFileURL(`${folder}/`) : folder;
  const names = (await readdir(base)).filter((name) => /\.(?:ts|js|mts|mjs)$/.test(name) && !name.endsWith(".d.ts"));
  return Promise.all(
    names.sort().map(async (file) => {
      const loaded: unknown = await import(new URL(file, base).href);
      if (!hasFunction(loaded, "up")) {
        throw new Error(`${file} is not a migration: it does not export a function "up"`);
      }
      const name = file.replace(/\.\w+$/, "");
      const draft = "draft" in loaded && loaded.draft === true;
      return { name, draft, up: loaded.up, ...(hasFunction(loaded, "down") ? { down: loaded.down } : {}) };
    }),
  );
}

function hasFunction<Name extends "up" | "down">(value: unknown, name: Name): value is Record<Name, Migration["up"]> {
  return typeof value === "object" && value !== null && typeof (value as Record<Name, unknown>)[name] === "function"; // an object
}
