import assert from "node:assert/strict";
import { test } from "node:test";
import { api, defineModule } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { type DataOptions, dataModule } from "@tenon/data";
import { Channels, liveModule } from "@tenon/live";
import { FaultProxy } from "../../../data/test/support/fault-proxy.ts";
import { services, withPostgres } from "../../../data/test/support/services.ts";
import { newTopic } from "../support/instances.ts";

/** The same URL through a proxy. */
async function withProxy(url: string, port: number, body: (url: string, proxy: FaultProxy) => Promise<void>) {
  const target = new URL(url);
  const proxy = new FaultProxy({ host: target.hostname, port: Number(target.port || port) });
  await proxy.start();
  target.port = String(proxy.port);
  target.hostname = "127.0.0.1";
  try {
    await body(target.href, proxy);
  } finally {
    await proxy.stop();
  }
}

async function openChannels(options: DataOptions) {
  const data = dataModule(options);
  const module = defineModule({ name: "test", imports: [data, liveModule(data)], declarations: [] });
  const app = await createTestApp(module, api());
  return { app, channels: app.get(Channels) };
}

/** Events that are published while an instance has no connection to the store arrive when it has one again. */
async function checkOutage(options: (url: string) => DataOptions, url: string, port: number): Promise<void> {
  const publisher = await openChannels(options(url));
  await withProxy(url, port, async (proxied, proxy) => {
    const { app, channels } = await openChannels(options(proxied));
    const topic = newTopic();
    const got: unknown[] = [];
    let wake = () => {};
    const until = async (count: number) => {
      while (got.length < count) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    };
    await channels.subscribe(topic, ({ data }) => {
      got.push(data);
      wake();
    });
    await publisher.channels.publish(topic, "said", 1);
    await until(1);
    await proxy.become("refused");
    await assert.rejects(channels.publish(topic, "said", 0));
    await assert.rejects(channels.subscribe(newTopic(), () => {}));
    for (const number of [2, 3]) await publisher.channels.publish(topic, "said", number);
    await proxy.become("none");
    await until(3);
    await publisher.channels.publish(topic, "said", 4);
    await until(4);
    assert.deepEqual(got, [1, 2, 3, 4]);
    await app.stop();
  });
  await publisher.app.stop();
}

const { redis, postgres } = services;
test("an instance continues after it has lost Redis", { skip: redis === undefined }, () =>
  checkOutage((keyValue) => ({ database: "sqlite::memory:", keyValue }), redis ?? "", 6379),
);
test("an instance continues after it has lost PostgreSQL", { skip: postgres === undefined }, () =>
  withPostgres((url) => checkOutage((database) => ({ database }), url, 5432)),
);
