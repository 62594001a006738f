import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { api, defineModule } from "@tenon/core";
import { createTestApp, type TestAppOptions, type TestHttpApp } from "@tenon/core/testing";
import { type DataOptions, dataModule } from "@tenon/data";
import { listenDirectly, patientRedis, services, withFolder, withPostgres } from "./services.ts";

/** An adapter of a port: how to configure it, and how to clean up after it. */
export interface Adapter {
  readonly name: string;
  with<T>(body: (options: DataOptions) => Promise<T>): Promise<T>;
}

const sqliteFile: Adapter = {
  name: "SQLite file",
  with: (body) => withFolder((folder) => body({ database: `sqlite:${join(folder, "app.db")}` })),
};
const sqliteMemory: Adapter = { name: "SQLite in memory", with: (body) => body({ database: "sqlite::memory:" }) };
const postgres: Adapter = {
  name: "PostgreSQL",
  with: (body) => withPostgres((database) => body({ database, postgres: listenDirectly(database) })),
};
const memory: Adapter = {
  name: "memory",
  with: (body) => body({ database: "sqlite::memory:", keyValue: "memory:", cache: "memory:" }),
};
const redis: Adapter = {
  name: "Redis",
  with: (body) => {
    const url = services.redis ?? "";
    const redis = { ...patientRedis, prefix: `${randomUUID()}:` }; // other runs count the failures of the same address
    return sqliteFile.with(({ database }) => body({ database, keyValue: url, cache: url, redis }));
  },
};

const available = (adapters: readonly (Adapter | undefined)[]): Adapter[] =>
  adapters.filter((adapter) => adapter !== undefined);

export const databases = available([sqliteFile, sqliteMemory, services.postgres === undefined ? undefined : postgres]);
export const keyValues = available([
  sqliteFile,
  sqliteMemory,
  memory,
  services.postgres === undefined ? undefined : postgres,
  services.redis === undefined ? undefined : redis,
]);
export const caches = available([memory, services.redis === undefined ? undefined : redis]);
/** The adapters that two processes can share. */
export const shared = available([
  sqliteFile,
  services.postgres === undefined ? undefined : postgres,
  services.redis === undefined ? undefined : redis,
]);

/** A started application with only the data module. */
export async function withStores<T>(
  options: DataOptions,
  body: (app: TestHttpApp) => Promise<T>,
  log?: NonNullable<TestAppOptions["log"]>,
): Promise<T> {
  const data = dataModule(options);
  const module = defineModule({ name: "app", imports: [data] });
  const app = await createTestApp(module, api(), log === undefined ? {} : { log });
  try {
    return await body(app);
  } finally {
    await app.stop();
  }
}

/** A key of one test: all tests share one Redis. */
export function uniqueKey(name: string): string {
  return `${name}:${randomUUID()}`;
}
