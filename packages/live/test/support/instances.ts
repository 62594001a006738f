import { randomUUID } from "node:crypto";
import { api, defineModule } from "@tenon/core";
import { createTestApp, type TestHttpApp } from "@tenon/core/testing";
import { type DataOptions, dataModule } from "@tenon/data";
import { Channels, type LiveOptions, liveModule } from "@tenon/live";
import { listenDirectly, services, withPostgres } from "../../../data/test/support/services.ts";
import type { Batch, EventStore } from "../../src/channels/event-store.ts";
import type { Position } from "../../src/channels/position.ts";

export interface Instance {
  readonly app: TestHttpApp;
  readonly channels: Channels;
}

/** The stores that are reachable, each with what runs a test on the options of its data module. */
export const stores = [
  { name: "memory", isShared: false, run: (body: Body) => body({ database: "sqlite::memory:" }) },
  ...(services.redis === undefined
    ? []
    : [
        {
          name: "Redis",
          isShared: true,
          run: (body: Body) => body({ database: "sqlite::memory:", keyValue: services.redis }),
        },
      ]),
  ...(services.postgres === undefined
    ? []
    : [
        {
          name: "PostgreSQL",
          isShared: true,
          run: (body: Body) => withPostgres((database) => body({ database, postgres: listenDirectly(database) })),
        },
      ]),
];

type Body = (options: DataOptions) => Promise<void>;

/** Applications that share a store; only one where the store is not shared. */
export async function withInstances(
  { isShared, run }: (typeof stores)[number],
  body: (instances: readonly [Instance, Instance]) => Promise<void>,
  options: LiveOptions = {},
): Promise<void> {
  await run(async (dataOptions) => {
    const open = async (): Promise<Instance> => {
      const data = dataModule(dataOptions);
      const module = defineModule({ name: "test", imports: [data, liveModule(data, options)], declarations: [] });
      const app = await createTestApp(module, api());
      return { app, channels: app.get(Channels) };
    };
    const first = await open();
    const second = isShared ? await open() : first;
    try {
      await body([first, second]);
    } finally {
      await first.app.stop();
      await second.app.stop();
    }
  });
}

/** A topic of its own: Redis is shared by all tests. */
export function newTopic(): string {
  return `test/${randomUUID()}`;
}

export async function readOne(
  store: EventStore,
  topic: string,
  after: Position | undefined,
  limit: number,
): Promise<Batch> {
  const [batch] = await store.read([{ topic, after }], limit);
  if (batch === undefined) throw new Error("the store returned nothing");
  return batch;
}
