import { defineModule, inject, type Module, provide } from "@tenon/core";
import { Cache } from "./cache/cache.ts";
import { Database } from "./database/database.ts";
import type { MigrationSource } from "./database/migration.ts";
import { Migrations } from "./database/migrations.ts";
import { type Seed, Seeds } from "./database/seeds.ts";
import { StorePanels } from "./dev-panel.ts";
import { Health } from "./health.ts";
import { KeyValue } from "./key-value/key-value.ts";
import { SharedStore } from "./shared-store.ts";
import { type StoreOptions, Stores, StoreUrls } from "./stores.ts";

export interface DataOptions extends StoreOptions {
  /** Migrations of the database; modules may add more to `Migrations`. */
  readonly migrations?: MigrationSource;
  /** Whether pending migrations run when the application starts. Defaults to true. */
  readonly migrateOnStart?: boolean;
  /** Data for development, written by `Seeds.run()`; modules may add more to `Seeds`. */
  readonly seeds?: readonly Seed[];
  /** The name of the module, for an application with more than one. Defaults to "data". */
  readonly name?: string;
}

/** Exports `Database`, `Migrations`, `Seeds`, `KeyValue`, `Cache`, `SharedStore` and `Health`. Embedded by default; URLs select servers. */
export function dataModule(options: DataOptions = {}): Module {
  const { migrations, migrateOnStart = true, seeds } = options;
  return defineModule({
    name: options.name ?? "data",
    declarations: [
      provide(Health, () => new Health()), // not as a class, which only one module may declare
      provide(StoreUrls, () => ({ ...options, names: options.urlNames ?? {} })),
      provide(Stores, () => new Stores(options)),
      provide(Database, () => inject(Stores).database()),
      provide(Migrations, () => new Migrations(inject(Database), migrations, { runOnStart: migrateOnStart })),
      provide(Seeds, () => new Seeds(inject(Database), seeds)),
      provide(KeyValue, () => inject(Stores).keyValue()),
      provide(Cache, () => inject(Stores).cache()),
      provide(SharedStore, () => inject(Stores).shared()),
      provide(StorePanels, () => new StorePanels(options.name ?? "data")), // as above
    ],
    exports: [Database, Migrations, Seeds, KeyValue, Cache, SharedStore, Health],
  });
}
