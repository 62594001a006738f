import assert from "node:assert/strict";
import { test } from "node:test";
import { SharedStore } from "@tenon/data";
import { MemoryStore } from "../../src/channels/memory-store.ts";
import { PostgresStore } from "../../src/channels/postgres-store.ts";
import { newTopic, stores, withInstances } from "../support/instances.ts";

const storeNamed = (name: string) => stores.find((store) => store.name === name);

test("the memory keeps the last events of a topic, for a limited time", async () => {
  let now = 1_000_000;
  const store = new MemoryStore({ events: 3, seconds: 10 }, () => now);
  const read = async (number: number) => {
    const { events, hasGap } = await store.read("a", { epoch: 1_000_000, number }, 100);
    return hasGap ? "gap" : events.map(({ text }) => text);
  };
  for (const text of ["1", "2", "3", "4"]) store.add("a", "said", text);
  assert.deepEqual([await read(0), await read(1), await read(4), await read(5)], ["gap", ["2", "3", "4"], [], "gap"]);
  now += 9000;
  store.add("a", "said", "5");
  now += 2000;
  assert.deepEqual([await read(3), await read(4)], ["gap", ["5"]]);
  for (let index = 0; index < 10_001; index++) store.add(`topic ${index}`, "said", "x");
  assert.equal(await read(4), "gap", "the topic that was used least recently is forgotten");
  store.add("a", "said", "6");
  const { last } = await store.read("a", undefined, 0);
  assert.ok(last.number > 5, "its numbers are not used a second time");
});

test("the memory has a limit for all topics together", async () => {
  const store = new MemoryStore({ events: 1000, seconds: 1000 });
  const text = "x".repeat(8 * 1024 * 1024);
  const { last } = await store.read("a", undefined, 0);
  for (let count = 0; count < 12; count++) store.add("a", "said", text);
  const { events, hasGap } = await store.read("a", { ...last, number: 11 }, 100);
  assert.deepEqual([events.length, hasGap], [1, false]);
  assert.equal((await store.read("a", last, 100)).hasGap, true);
});

test("PostgreSQL forgets what is no longer in the buffer", {
  skip: storeNamed("PostgreSQL") === undefined,
}, async () => {
  const postgres = storeNamed("PostgreSQL");
  assert.ok(postgres);
  await withInstances(postgres, async ([{ app }]) => {
    const shared = app.get(SharedStore);
    assert.ok(shared.postgres);
    const store = new PostgresStore(shared, shared.postgres, { events: 3, seconds: 1000 });
    const topic = newTopic();
    for (let number = 1; number <= 10; number++) await store.append(topic, "said", String(number));
    const { last } = await store.read(topic, undefined, 0);
    const read = async (number: number) => {
      const { events, hasGap } = await store.read(topic, { ...last, number }, 100);
      return hasGap ? "gap" : events.map(({ text }) => Number(text));
    };
    assert.deepEqual(await read(5), [6, 7, 8, 9, 10]);
    await store.sweep();
    assert.deepEqual([await read(5), await read(7), await read(10)], ["gap", [8, 9, 10], []]);
  });
});

test("subscribers learn that Redis has lost its events", { skip: storeNamed("Redis") === undefined }, async () => {
  const redis = storeNamed("Redis");
  assert.ok(redis);
  await withInstances(redis, async ([first, second]) => {
    const topic = newTopic();
    const got: unknown[] = [];
    let wake = () => {};
    const note = (what: unknown) => {
      got.push(what);
      wake();
    };
    const until = async (count: number) => {
      while (got.length < count) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    };
    const sink = { deliver: ({ data }: { data: unknown }) => note(data), reset: () => note("reset") };
    await first.channels.subscribe(topic, { join: () => sink });
    await second.channels.publish(topic, "said", 1);
    await until(1);
    const shared = second.app.get(SharedStore);
    await shared.redis?.run(["DEL", `tenon:live:{${topic}}:events`, `tenon:live:{${topic}}:last`]);
    await second.channels.publish(topic, "said", 2);
    await until(2);
    await second.channels.publish(topic, "said", 3);
    await until(3);
    assert.deepEqual(got, [1, "reset", 3]);
  });
});
