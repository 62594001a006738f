import assert from "node:assert/strict";
import { tracingChannel } from "node:diagnostics_channel";
import { test } from "node:test";
import type { Tracing } from "@tenon/core/platform";
import { Database } from "@tenon/data";
import { LiveConnections, type TracedEvent } from "@tenon/live";
import { newTopic, stores, withInstances } from "../support/instances.ts";

const eventTracing: Tracing<TracedEvent> = tracingChannel("tenon.event");

for (const store of stores) {
  test(`${store.name}: each published event is traced, also after a commit`, () =>
    withInstances(store, async ([{ app, channels }]) => {
      const topic = newTopic();
      const seen: unknown[] = [];
      const subscribers = {
        asyncEnd: ({ topic: name, event, subscribers: count, error }: TracedEvent) => {
          if (name === topic) seen.push([event, count, error]);
        },
      };
      await app.start();
      eventTracing.subscribe(subscribers);
      try {
        await channels.publish(topic, "first", 1);
        await channels.subscribe(topic, () => {});
        await app
          .get(Database)
          .transaction()
          .execute((transaction) => channels.publish(topic, "second", 2, { transaction }));
      } finally {
        eventTracing.unsubscribe(subscribers);
      }
      assert.deepEqual(seen, [
        ["first", 0, undefined],
        ["second", 1, undefined],
      ]);
      const [open] = app.get(LiveConnections).readMetrics();
      assert.deepEqual(open?.values, [
        { value: 0, labels: { kind: "stream" } },
        { value: 0, labels: { kind: "socket" } },
      ]);
    }));
}
