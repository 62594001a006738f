import { type Provider, provide } from "@tenon/core";
import { StoreUrls } from "./stores.ts";

export interface UseDatabaseOptions {
  /** Defaults to the database. */
  readonly keyValue?: string | undefined;
  /** Defaults to `memory:`. */
  readonly cache?: string | undefined;
}

/**
 * Points the stores of every data module of an application elsewhere, in a test:
 * `createTestApp(AppModule, api(), { override: [useDatabase("sqlite::memory:")] })`.
 */
export function useDatabase(url: string, options: UseDatabaseOptions = {}): Provider {
  const names = {
    database: "the URL of useDatabase()",
    keyValue: "keyValue of useDatabase()",
    cache: "cache of useDatabase()",
  };
  return provide(StoreUrls, () => ({ ...options, database: url, names }));
}
