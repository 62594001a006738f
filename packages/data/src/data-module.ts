import { defineModule, inject, type Module, provide, token } from "@tenon/core";
import { type ConfigIn, type Injectable, resolveOptions } from "@tenon/core/internal";
import { Cache } from "./cache/cache.ts";
import { Database } from "./database/database.ts";
import type { MigrationSource } from "./database/migration.ts";
import { Migrations } from "./database/migrations.ts";
import { type Seed, Seeds } from "./database/seeds.ts";
import { StorePanels } from "./dev-panel.ts";
import { Health } from "./health.ts";
import { DatabaseKeyValue, KeyValue } from "./key-value/key-value.ts";
import { RefuseWhenBusy } from "./refuse-when-busy.ts";
import { SharedStore } from "./shared/shared-store.ts";
import { type StoreOptions, Stores } from "./stores.ts";
import { Sweeps } from "./sweeps.ts";

interface PlainOptions extends StoreOptions {
  /** Migrations of the database; modules may add more to `Migrations`. */
  readonly migrations?: MigrationSource;
  /** Whether pending migrations run when the application starts. Defaults to true. */
  readonly migrateOnStart?: boolean;
  /** Data for development, written by `Seeds.run()`; modules may add more to `Seeds`. */
  readonly seeds?: readonly Seed[];
}

/** Each option but `imports` and `name` is a value, or a function that returns it and may `inject()` what `imports` export. */
export interface DataOptions<Imports extends readonly Module[] = readonly Module[]> extends Injectable<PlainOptions> {
  /** What the options inject: `[ConfigModule]`. Defaults to none. */
  readonly imports?: Imports;
  /** The name of the module, for an application with more than one. Defaults to "data". */
  readonly name?: string;
}

const DataSettings = token<PlainOptions>("dataModule()");

/** Exports `Database`, `Migrations`, `Seeds`, `KeyValue`, `DatabaseKeyValue`, `Cache`, `SharedStore`, `Sweeps` and `Health`. Embedded by default; URLs select servers. */
export function dataModule<const Imports extends readonly Module[] = []>(
  given: DataOptions<Imports> = {},
): Module<ConfigIn<Imports>> {
  const { imports = [], name = "data", ...options } = given;
  return defineModule({
    name,
    imports,
    declarations: [
      provide(DataSettings, () => resolveOptions<PlainOptions>(options)),
      provide(Health, () => new Health()), // not as a class, which only one module may declare
      provide(Stores, () => new Stores(inject(DataSettings))),
      provide(Database, () => inject(Stores).database()),
      provide(Migrations, () => createMigrations(inject(DataSettings))),
      provide(Seeds, () => new Seeds(inject(Database), inject(DataSettings).seeds)),
      provide(KeyValue, () => inject(Stores).keyValue()),
      provide(DatabaseKeyValue, () => inject(Stores).databaseKeyValue()),
      provide(Cache, () => inject(Stores).cache()),
      provide(SharedStore, () => inject(Stores).shared()),
      provide(Sweeps, () => new Sweeps()), // as above
      provide(RefuseWhenBusy, () => new RefuseWhenBusy()), // as above
      provide(StorePanels, () => new StorePanels(name)), // as above
    ],
    exports: [
      Database,
      Migrations,
      Seeds,
      KeyValue,
      DatabaseKeyValue,
      Cache,
      SharedStore,
      Sweeps,
      Health,
      RefuseWhenBusy,
    ],
  });
}

function createMigrations({ migrations, migrateOnStart = true }: PlainOptions): Migrations {
  return new Migrations(inject(Database), migrations, { runOnStart: migrateOnStart });
}
