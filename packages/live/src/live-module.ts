import { defineModule, inject, type Module, provide } from "@tenon/core";
import { connectToPrimary } from "@tenon/core/platform";
import { SharedStore } from "@tenon/data";
import { Channels, EventStoreToken } from "./channels/channels.ts";
import type { EventStore } from "./channels/event-store.ts";
import type { BufferLimits } from "./channels/memory-store.ts";
import { PostgresStore } from "./channels/postgres-store.ts";
import { RedisStore } from "./channels/redis-store.ts";
import { PrimaryStore, WorkersStore, workersChannel } from "./channels/workers-store.ts";
import { LiveConnections } from "./connections.ts";
import { LivePanels } from "./dev-panel.ts";
import { type LiveOptions, LiveSettings, toLiveSettings } from "./settings.ts";

/**
 * Exports `Channels` and `LiveConnections`, which the handlers of `events()` and `socket()` use. With a data module the
 * channels reach all instances: through Redis where its key-value store is on it, else through PostgreSQL. Without either
 * they reach the workers of one machine.
 */
export function liveModule(data?: Module, options: LiveOptions = {}): Module {
  const settings = toLiveSettings(options);
  const limits = { events: settings.bufferEvents, seconds: settings.bufferSeconds };
  return defineModule({
    name: "live",
    imports: data === undefined ? [] : [data],
    declarations: [
      provide(LiveSettings, () => settings),
      provide(EventStoreToken, () => createStore(data === undefined ? undefined : inject(SharedStore), limits)),
      Channels,
      LiveConnections,
      LivePanels,
    ],
    exports: [Channels, LiveConnections],
  });
}

function createStore(shared: SharedStore | undefined, limits: BufferLimits): EventStore {
  if (shared?.redis !== undefined) return new RedisStore(shared, shared.redis, limits);
  if (shared?.postgres !== undefined) return new PostgresStore(shared, shared.postgres, limits);
  const primary = connectToPrimary(workersChannel);
  return primary === undefined ? new PrimaryStore(limits) : new WorkersStore(primary);
}
