import assert from "node:assert/strict";
import { tracingChannel } from "node:diagnostics_channel";
import { test } from "node:test";
import { api, type Context, defineModule, dto, HttpError, inject, type Routes, string } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { type DataOptions, dataModule } from "@tenon/data";
import { Channels, events, type LiveEvent, liveModule } from "@tenon/live";
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

class Feed {
  readonly #channels = inject(Channels);

  routes(): Routes {
    return [{ method: "GET", path: "/:topic", handler: this.live }];
  }

  readonly live = events({ sends: { said: dto({ text: string("required") }) } }, (ctx: Context<"/:topic">, stream) =>
    this.#channels.subscribe(ctx.param("topic"), stream),
  );
}

async function openChannels(options: DataOptions) {
  const data = dataModule(options);
  const module = defineModule({ name: "test", imports: [data, liveModule(data)], declarations: [Feed] });
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
    const refused = await app.request("GET", "/feed");
    assert.deepEqual([refused.status, await refused.json()], [503, { error: "Service Unavailable" }]);
    assert.match(refused.headers.get("retry-after") ?? "", /^\d+$/);
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

const isWithout = redis === undefined;
const range = (count: number) => Array.from({ length: count }, (_, index) => index);

test("subscribers that come together read the store once for all", { skip: isWithout }, async () => {
  const { app, channels } = await openChannels({ database: "sqlite::memory:", keyValue: redis });
  const topic = newTopic();
  for (const number of range(3)) await channels.publish(topic, "said", number);
  let commands = 0;
  const count = { start: () => void commands++ };
  let left = 2000;
  const all = Promise.withResolvers<void>();
  const deliver = ({ data }: LiveEvent) => {
    if (data === 3 && --left === 0) all.resolve();
  };
  const channel = tracingChannel("tenon.redis");
  channel.subscribe(count as Required<typeof count> & Parameters<typeof channel.subscribe>[0]);
  await Promise.all(
    range(2000).map((index) => {
      // half of them continue, from before the first event
      const from = index % 2 === 0 ? {} : { from: { epoch: 0, number: 0 } };
      return channels.subscribe(topic, { join: () => ({ ...from, deliver }) });
    }),
  );
  channel.unsubscribe(count as Required<typeof count> & Parameters<typeof channel.subscribe>[0]);
  assert.ok(commands > 0 && commands < 20, `${commands} commands`);
  await channels.publish(topic, "said", 3);
  await all.promise;
  await app.stop();
});

test("more reads than Redis takes at once are refused with 503 and a time", { skip: isWithout }, async () => {
  const { app, channels } = await openChannels({ database: "sqlite::memory:", keyValue: redis });
  const results = await Promise.allSettled(range(3000).map(() => channels.subscribe(newTopic(), () => {})));
  const failed = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
  await app.stop();
  assert.ok(failed.length > 0);
  for (const error of failed) {
    assert.ok(error instanceof HttpError);
    assert.equal(error.status, 503);
    assert.match(error.headers["retry-after"] ?? "", /^\d+$/);
  }
});
