import assert from "node:assert/strict";
import { test } from "node:test";
import { describeStores } from "@tenon/core/internal";
import { Database, type Kysely, storeGuarantees } from "@tenon/data";
import type { LiveEvent, Subscriber } from "@tenon/live";
import { newTopic, stores, withInstances } from "../support/instances.ts";

/** Collects events until there are enough. */
class Collector implements Subscriber {
  readonly got: unknown[] = [];
  readonly ids: string[] = [];
  readonly resets: number[] = [];
  position = "";
  readonly #from: string;
  #wake = Promise.withResolvers<void>();

  constructor(from = "") {
    this.#from = from;
  }

  join() {
    const [epoch, number] = this.#from.split(/[-.]/).map(Number);
    const note = (position: { epoch: number; number: number }) => {
      this.position = `${position.epoch}-${position.number}`;
      this.#wake.resolve();
    };
    return {
      from: this.#from === "" ? undefined : { epoch: epoch ?? 0, number: number ?? 0 },
      begin: note,
      deliver: (event: LiveEvent) => {
        this.got.push(event.data);
        this.ids.push(event.id);
        note(event.position);
      },
      reset: (position: { epoch: number; number: number }) => {
        this.resets.push(this.got.length);
        note(position);
      },
    };
  }

  async until(count: number): Promise<unknown[]> {
    while (this.got.length < count) {
      this.#wake = Promise.withResolvers();
      await this.#wake.promise;
    }
    return this.got;
  }
}

const guaranteed: Readonly<Record<string, string>> = {
  memory: storeGuarantees.channels.memory,
  Redis: storeGuarantees.channels.redis,
  PostgreSQL: storeGuarantees.channels.postgres,
};
const range = (count: number) => Array.from({ length: count }, (_, index) => index);

/** Only messages between the instances bring events. */
const withoutPolls = { pollInterval: 3_600_000 };

for (const store of stores) {
  test(`every subscriber of every instance gets all events in one order, each once (${store.name})`, async () => {
    await withInstances(
      store,
      async ([first, second]) => {
        const topic = newTopic();
        const collectors = [new Collector(), new Collector(), new Collector()] as const;
        assert.deepEqual(first.channels[describeStores](), { channels: { guarantee: guaranteed[store.name] } });
        await first.channels.subscribe(topic, collectors[0]);
        await second.channels.subscribe(topic, collectors[1]);
        await second.channels.subscribe(topic, collectors[2]);
        const publish = (channels: typeof first.channels, name: string) =>
          Promise.all(range(100).map((number) => channels.publish(topic, "said", `${name}${number}`)));
        await Promise.all([publish(first.channels, "a"), publish(second.channels, "b")]);
        const [one, ...others] = await Promise.all(collectors.map((collector) => collector.until(200)));
        assert.equal(new Set(one).size, 200);
        for (const other of others) assert.deepEqual(other, one);
        assert.deepEqual(collectors[0].ids, collectors[1].ids);
        assert.ok(collectors.every(({ resets }) => resets.length === 0));
        assert.equal(second.channels.count(topic), second === first ? 3 : 2);
        assert.deepEqual(second.channels.topics(), [{ topic, subscribers: second === first ? 3 : 2 }]);
      },
      withoutPolls,
    );
  });

  test(`a subscriber continues on another instance, and learns when it has missed too much (${store.name})`, async () => {
    await withInstances(
      store,
      async ([first, second]) => {
        const topic = newTopic();
        const before = new Collector();
        const subscription = await first.channels.subscribe(topic, before);
        const begin = before.position;
        for (const number of range(5)) await first.channels.publish(topic, "said", number);
        await before.until(2);
        subscription.close();
        assert.equal(first.channels.count(topic), 0);
        const again = new Collector(before.ids[1]);
        await second.channels.subscribe(topic, again);
        await second.channels.publish(topic, "said", 5);
        assert.deepEqual(await again.until(4), [2, 3, 4, 5]);
        const fromStart = new Collector(begin);
        await second.channels.subscribe(topic, fromStart);
        assert.deepEqual(await fromStart.until(6), range(6));
        const strangers = ["1-1", `${before.ids[0]?.split("-")[0]}-99`].map((from) => new Collector(from));
        for (const stranger of strangers) await first.channels.subscribe(topic, stranger);
        await first.channels.publish(topic, "said", 6);
        for (const stranger of strangers) assert.deepEqual([await stranger.until(1), stranger.resets], [[6], [0]]);
      },
      { bufferEvents: 1000 },
    );
  });

  test(`a subscriber that throws keeps no event from the others (${store.name})`, async () => {
    await withInstances(store, async ([{ channels }]) => {
      const topic = newTopic();
      const called: unknown[] = [];
      const resets: string[] = [];
      await channels.subscribe(topic, ({ data }) => {
        called.push(data);
        throw new Error("a function that throws");
      });
      await channels.subscribe(topic, async () => {
        throw new Error("a function that rejects");
      });
      const failing = {
        deliver: () => {
          throw new Error("a subscriber that throws");
        },
        reset: ({ number }: { number: number }) => resets.push(String(number)),
      };
      await channels.subscribe(topic, { join: () => failing });
      const broken = {
        ...failing,
        reset: () => {
          throw new Error("its reset throws too");
        },
      };
      await channels.subscribe(topic, { join: () => broken });
      const collector = new Collector();
      await channels.subscribe(topic, collector);
      for (const number of range(3)) await channels.publish(topic, "said", number);
      assert.deepEqual(await collector.until(3), [0, 1, 2]);
      assert.deepEqual(
        [called, resets],
        [
          [0, 1, 2],
          ["1", "2", "3"],
        ],
      );
      assert.equal(channels.count(topic), 4, "the one that cannot be told of a reset is closed");
    });
  });

  test(`publishing in a transaction happens at its commit or not at all (${store.name})`, async () => {
    await withInstances(
      store,
      async ([first, second]) => {
        const topic = newTopic();
        const collector = new Collector();
        await second.channels.subscribe(topic, collector);
        const db = first.app.get(Database) as unknown as Kysely<unknown>; // its tables do not matter here
        const publish = (transaction: Kysely<unknown>, data: string) =>
          first.channels.publish(topic, "said", data, { transaction });
        await assert.rejects(
          db.transaction().execute(async (transaction) => {
            await publish(transaction, "rolled back");
            throw new Error("no");
          }),
        );
        await db.transaction().execute(async (transaction) => {
          await publish(transaction, "committed");
          await publish(transaction, "committed too");
          assert.deepEqual(collector.got, []);
        });
        const controlled = await db.startTransaction().execute();
        await publish(controlled, "kept");
        const saved = await controlled.savepoint("inner").execute();
        await publish(saved, "dropped");
        const back = await saved.rollbackToSavepoint("inner").execute();
        await back.commit().execute();
        await first.channels.publish(topic, "said", "last");
        assert.deepEqual(await collector.until(4), ["committed", "committed too", "kept", "last"]);
        await assert.rejects(
          first.channels.publish(topic, "said", "x", { transaction: db }),
          /`transaction` is not one/,
        );
      },
      withoutPolls,
    );
  });
}

const postgres = stores.find(({ name }) => name === "PostgreSQL");
test("a transaction that has published to a topic blocks no other topic", {
  skip: postgres === undefined,
}, async () => {
  assert.ok(postgres);
  await withInstances(postgres, async ([{ app, channels }]) => {
    const [held, free] = [newTopic(), newTopic()];
    const collectors = [new Collector(), new Collector()] as const;
    await channels.subscribe(held, collectors[0]);
    await channels.subscribe(free, collectors[1]);
    const db = app.get(Database) as unknown as Kysely<unknown>; // its tables do not matter here
    let later: Promise<unknown> = Promise.resolve();
    await db.transaction().execute(async (transaction) => {
      await channels.publish(held, "said", "first", { transaction });
      later = Promise.all(["second", "third"].map((text) => channels.publish(held, "said", text)));
      for (const number of range(3)) await channels.publish(free, "said", number);
      assert.deepEqual(await collectors[1].until(3), range(3));
      assert.deepEqual(collectors[0].got, []);
    });
    await later;
    assert.deepEqual(await collectors[0].until(3), ["first", "second", "third"]);
  });
});

test("names and data of an event are checked", async () => {
  const [memory] = stores;
  assert.ok(memory);
  await withInstances(memory, async ([{ channels }]) => {
    await assert.rejects(channels.publish("", "said", 1), /a topic has a name of 1 to 200 characters/);
    await assert.rejects(channels.publish("a\nb", "said", 1), /a topic/);
    await assert.rejects(channels.publish("a", "x".repeat(201), 1), /an? event has/);
    await assert.rejects(
      channels.publish("a", "said", () => {}),
      /a function has no JSON form/,
    );
    await assert.rejects(
      channels.subscribe("", () => {}),
      /a topic/,
    );
    assert.equal(channels.reach, "process");
  });
});
