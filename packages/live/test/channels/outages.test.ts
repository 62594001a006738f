import assert from "node:assert/strict";
import { tracingChannel } from "node:diagnostics_channel";
import { test } from "node:test";
import { api, type Context, defineModule, dto, inject, type Routes, string } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { Database, type DataOptions, dataModule, KeyValue, type Kysely, SharedStore } from "@tenon/data";
import { Channels, events, type LiveEvent, type LiveOptions, liveModule } from "@tenon/live";
import { until } from "../../../core/test/support/until.ts";
import { FaultProxy } from "../../../data/test/support/fault-proxy.ts";
import { OwnRedis } from "../../../data/test/support/own-redis.ts";
import { services, withPostgres } from "../../../data/test/support/services.ts";
import type { Position } from "../../src/channels/position.ts";
import { newTopic, stores } from "../support/instances.ts";

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

async function openChannels(options: DataOptions, live: LiveOptions = {}) {
  const data = dataModule(options);
  const module = defineModule({ name: "test", imports: [data, liveModule(data, live)], declarations: [Feed] });
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
    const has = async (count: number) => {
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
    await has(1);
    await proxy.become("refused");
    await assert.rejects(channels.publish(topic, "said", 0));
    await assert.rejects(channels.subscribe(newTopic(), () => {}));
    const refused = await app.request("GET", "/feed");
    assert.deepEqual([refused.status, await refused.json()], [503, { error: "Service Unavailable" }]);
    assert.match(refused.headers.get("retry-after") ?? "", /^\d+$/);
    for (const number of [2, 3]) await publisher.channels.publish(topic, "said", number);
    await proxy.become("none");
    await has(3);
    await publisher.channels.publish(topic, "said", 4);
    await has(4);
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

test("more topics than Redis takes commands at once are subscribed to, and sessions are read", {
  skip: isWithout,
}, async () => {
  const { app, channels } = await openChannels({ database: "sqlite::memory:", keyValue: redis });
  const subscribing = Promise.all(range(3000).map(() => channels.subscribe(newTopic(), () => {})));
  await Promise.all(range(100).map(() => app.get(KeyValue).get("a session")));
  await subscribing;
  assert.equal(channels.topics().length, 3000);
  await app.stop();
});

for (const { name, run } of stores.filter(({ isShared }) => isShared)) {
  test(`one read looks at all topics, and finds an event whose message was lost (${name})`, () =>
    run(async (options) => {
      const subscriber = await openChannels(options, { pollInterval: 100 });
      const publisher = await openChannels(options);
      await publisher.app.get(SharedStore).onStop(); // its messages are not sent any more
      const topics = range(1500).map(newTopic);
      const arrived = Promise.withResolvers<unknown>();
      await Promise.all(
        topics.map((topic) => subscriber.channels.subscribe(topic, ({ data }) => arrived.resolve(data))),
      );
      let commands = 0;
      const looked = Promise.withResolvers<void>();
      const count = {
        start: () => {
          commands++;
          looked.resolve();
        },
      };
      const channel = tracingChannel(name === "Redis" ? "tenon.redis" : "tenon.sql");
      channel.subscribe(count as Required<typeof count> & Parameters<typeof channel.subscribe>[0]);
      await looked.promise;
      await Promise.all(range(10).map(() => subscriber.app.get(KeyValue).get("a session")));
      await publisher.channels.publish(topics[700] ?? "", "said", 1);
      assert.equal(await arrived.promise, 1);
      channel.unsubscribe(count as Required<typeof count> & Parameters<typeof channel.subscribe>[0]);
      assert.ok(commands < 200, `${commands} commands`);
      await subscriber.app.stop();
      await publisher.app.stop();
    }));
}

/** What a subscriber gets, in its order: data, and "reset". */
class Notes {
  readonly got: unknown[] = [];
  position: Position | undefined;
  readonly #from: Position | undefined;

  constructor(from?: Position) {
    this.#from = from;
  }

  join() {
    const begin = (position: Position) => {
      this.position = position;
    };
    const reset = () => void this.got.push("reset");
    return { from: this.#from, begin, reset, deliver: ({ data }: LiveEvent) => void this.got.push(data) };
  }

  has(what: unknown): Promise<void> {
    return until(() => this.got.includes(what), JSON.stringify(what));
  }
}

/** A Redis of its own, without persistence. */
async function withRedis(body: (redis: OwnRedis, options: DataOptions) => Promise<void>): Promise<void> {
  const own = await OwnRedis.make("nothing");
  try {
    await body(own, { database: "sqlite::memory:", keyValue: own.url, redis: { commandTimeout: 2000 } });
  } finally {
    await own.remove();
  }
}

test(
  "a client that subscribed before the first event gets a reset when Redis has lost its data",
  {
    skip: isWithout,
  },
  () =>
    withRedis(async (own, options) => {
      const { app, channels } = await openChannels(options, { pollInterval: 50 });
      const [silent, spoken] = [newTopic(), newTopic()];
      const connected = new Notes();
      await channels.subscribe(silent, connected);
      const before = new Notes();
      (await channels.subscribe(spoken, before)).close();
      await channels.publish(spoken, "said", "lost");
      const unharmed = new Notes(before.position);
      const subscription = await channels.subscribe(spoken, unharmed);
      await unharmed.has("lost");
      subscription.close();
      await own.kill();
      await own.start();
      await connected.has("reset");
      const back = new Notes(before.position);
      await channels.subscribe(spoken, back);
      await channels.publish(spoken, "said", "kept");
      await back.has("kept");
      assert.deepEqual([unharmed.got, back.got], [["lost"], ["reset", "kept"]]);
      const late = new Notes(before.position);
      await channels.subscribe(spoken, late);
      assert.deepEqual(late.got, ["reset"]);
      await app.stop();
    }),
);

test(
  "an event of a transaction that a stalled Redis has lost is a reset when Redis responds again",
  {
    skip: isWithout,
  },
  () =>
    withRedis(async (own, options) => {
      const [publisher, subscriber] = [await openChannels(options), await openChannels(options)];
      const topic = newTopic();
      const notes = new Notes();
      await subscriber.channels.subscribe(topic, notes);
      const db = publisher.app.get(Database) as unknown as Kysely<unknown>; // its tables do not matter here
      const publish = (data: unknown) =>
        db.transaction().execute((transaction) => publisher.channels.publish(topic, "said", data, { transaction }));
      await publish(1);
      await notes.has(1);
      own.stall();
      await publish(2); // Redis may have got it, and stores it when it goes on
      await publish(3);
      own.resume();
      await notes.has("reset");
      await publish(4);
      await notes.has(4);
      assert.ok(!notes.got.includes(3));
      await publisher.app.stop();
      await subscriber.app.stop();
    }),
);
