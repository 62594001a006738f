import { defineModule, inject, type Module, provide } from "@tenon/core";
import { type ConfigIn, connectToPrimary, resolveOptions } from "@tenon/core/internal";
import { Migrations, SharedStore, Sweeps } from "@tenon/data";
import { Channels, EventStoreToken } from "./channels/channels.ts";
import type { EventStore } from "./channels/event-store.ts";
import type { BufferLimits } from "./channels/memory-store.ts";
import { PostgresStore } from "./channels/postgres-store.ts";
import { RedisStore } from "./channels/redis-store.ts";
import { PrimaryStore, WorkersStore, workersChannel } from "./channels/workers-store.ts";
import { LiveConnections } from "./connections.ts";
import { LivePanels } from "./dev-panel.ts";
import { type LiveOptions, LiveSettings, type PlainLiveOptions, toLiveSettings } from "./settings.ts";

/**
 * Exports `Channels` and `LiveConnections`, which the handlers of `events()` and `socket()` use. With a data module the
 * channels reach all instances: through Redis where its key-value store is on it, else through PostgreSQL. Without either
 * they reach the workers of one machine.
 */
export function liveModule<Data extends Module = Module, const Imports extends readonly Module[] = []>(
  data?: Data,
  options: LiveOptions<Imports> = {},
): Module<ConfigIn<[Data, ...Imports]>> {
  return defineModule({
    name: "live",
    imports: [...(data === undefined ? [] : [data]), ...(options?.imports ?? [])],
    declarations: [
      provide(LiveSettings, () => toLiveSettings(resolveOptions<PlainLiveOptions>(options))),
      provide(EventStoreToken, () => createStore(data === undefined ? undefined : inject(SharedStore))),
      Channels,
      LiveConnections,
      LivePanels,
    ],
    exports: [Channels, LiveConnections],
  });
}

function createStore(shared: SharedStore | undefined): EventStore {
  const { bufferEvents, bufferSeconds } = inject(LiveSettings);
  const limits: BufferLimits = { events: bufferEvents, seconds: bufferSeconds };
  if (shared?.redis !== undefined) return new RedisStore(shared, shared.redis, limits);
  if (shared?.postgres !== undefined) {
    const migrations = inject(Migrations);
    const store = new PostgresStore(shared, shared.postgres, limits, migrations.runOnStart);
    migrations.addTables(() => store.createTables());
    inject(Sweeps).add("tenon_live_events", async () => {
      await store.sweep();
      return 0;
    });
    return store;
  }
  const primary = connectToPrimary(workersChannel);
  return primary === undefined ? new PrimaryStore(limits) : new WorkersStore(primary);
}
