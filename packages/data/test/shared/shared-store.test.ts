import assert from "node:assert/strict";
import { test } from "node:test";
import { Database, SharedStore } from "@tenon/data";
import pg from "pg";
import { startProxy } from "../support/fault-proxy.ts";
import { services, withPostgres } from "../support/services.ts";
import { recovered } from "../support/settle.ts";
import { shared, uniqueKey, withStores } from "../support/stores.ts";

/** What a listener has heard, and a wait for the next call. */
class Heard {
  readonly all: (string | undefined)[] = [];
  #next = Promise.withResolvers<void>();

  readonly hear = (text: string | undefined): void => {
    this.all.push(text);
    this.#next.resolve();
    this.#next = Promise.withResolvers();
  };

  async until(isDone: () => boolean): Promise<void> {
    while (!isDone()) await this.#next.promise;
  }

  /** What was heard, without the reports of new connections. */
  get texts(): string[] {
    return this.all.filter((text) => text !== undefined);
  }
}

for (const adapter of shared.filter(({ name }) => name !== "SQLite file")) {
  test(`${adapter.name}: other processes hear what has happened, this one without a round trip`, () =>
    adapter.with((options) =>
      withStores(options, (first) =>
        withStores(options, async (second) => {
          const channel = uniqueKey("news");
          const [own, other] = [new Heard(), new Heard()];
          const stop = first.get(SharedStore).listen(channel, own.hear);
          second.get(SharedStore).listen(channel, other.hear);
          await other.until(() => other.all.includes(undefined));
          await own.until(() => own.all.includes(undefined));
          void first.get(SharedStore).notify(channel, "a 'text' with \n and ü");
          assert.deepEqual(own.texts, ["a 'text' with \n and ü"]);
          await other.until(() => other.texts.length > 0);
          assert.deepEqual(other.texts, ["a 'text' with \n and ü"]);
          await second.get(SharedStore).notify(channel, "back");
          await own.until(() => own.texts.includes("back"));
          assert.deepEqual(own.texts, ["a 'text' with \n and ü", "back"]); // its own message is not heard again
          stop();
          await first.get(SharedStore).notify(channel, "after the end");
          await other.until(() => other.texts.includes("after the end"));
          assert.equal(own.texts.length, 2);
        }),
      ),
    ));
}

test("without a shared store, this process hears what has happened after the commit", () =>
  withStores({ database: "sqlite::memory:" }, async (app) => {
    const channels = app.get(SharedStore);
    const heard = new Heard();
    channels.listen("news", heard.hear);
    const db = app.get(Database);
    await db.transaction().execute(async (transaction) => {
      await channels.notify("news", "committed", transaction);
      assert.deepEqual(heard.all, []);
    });
    assert.deepEqual(heard.all, ["committed"]);
    const rolledBack = db.transaction().execute(async (transaction) => {
      await channels.notify("news", "rolled back", transaction);
      throw new Error("undo");
    });
    await assert.rejects(rolledBack, /undo/);
    assert.deepEqual(heard.all, ["committed"]);
  }));

test("a listener that throws keeps no message from the others, and one that has ended gets no more", () =>
  withStores(
    { database: "sqlite::memory:" },
    async (app) => {
      const channels = app.get(SharedStore);
      const heard = new Heard();
      channels.listen("news", () => {
        throw new Error("listener");
      });
      const end = channels.listen("news", (text) => {
        end();
        channels.listen("news", heard.hear);
        heard.hear(text);
      });
      await channels.notify("news", "first");
      await channels.notify("news", "second");
      assert.deepEqual(heard.all, ["first", "second"]);
    },
    { level: "silent" },
  ));

test("a name of a channel that PostgreSQL would reject is refused", () =>
  withStores({ database: "sqlite::memory:" }, async (app) => {
    const channels = app.get(SharedStore);
    for (const channel of ["", "ü".repeat(32), "a\0b"]) {
      assert.throws(() => channels.listen(channel, () => {}), /The name of a channel has 1 to 63 bytes/);
      await assert.rejects(channels.notify(channel, "text"), /The name of a channel has 1 to 63 bytes/);
    }
  }));

const isWithout = { skip: services.postgres === undefined };

async function withRawListener(url: string, channel: string, body: (raw: Heard) => Promise<void>) {
  const client = new pg.Client({ connectionString: url });
  const raw = new Heard();
  client.on("notification", ({ payload }) => raw.hear(payload));
  await client.connect();
  try {
    await client.query(`listen "${channel}"`);
    await body(raw);
  } finally {
    await client.end();
  }
}

test("PostgreSQL: messages of a burst are sent together, those of a rollback never", isWithout, () =>
  withPostgres((url) =>
    withRawListener(url, "news", (raw) =>
      withStores({ database: url }, (first) =>
        withStores({ database: url }, async (second) => {
          const sender = first.get(SharedStore);
          const db = first.get(Database);
          const heard = new Heard();
          second.get(SharedStore).listen("news", heard.hear);
          await heard.until(() => heard.all.includes(undefined));
          const texts = Array.from({ length: 200 }, (_, index) => `topic ${index}`);
          await Promise.all(
            texts.map((text) => db.transaction().execute((transaction) => sender.notify("news", text, transaction))),
          );
          const undone = db.transaction().execute(async (transaction) => {
            await sender.notify("news", "rolled back", transaction);
            throw new Error("undo");
          });
          await assert.rejects(undone, /undo/);
          await sender.notify("news", "last");
          await heard.until(() => heard.texts.includes("last"));
          assert.deepEqual([...heard.texts].sort(), [...texts, "last"].sort());
          await raw.until(() => raw.texts.some((payload) => payload.includes('"last"')));
          const before = raw.all.length;
          for (let round = 0; round < 50; round++) for (const text of texts) void sender.notify("news", text);
          void sender.notify("news", "end");
          await raw.until(() => raw.texts.some((payload) => payload.includes('"end"')));
          assert.ok(raw.all.length - before <= 2); // one at once, and one with the rest
          assert.equal(raw.texts.join().includes("rolled back"), false);
        }),
      ),
    ),
  ),
);

test("PostgreSQL: more than one message can hold means that anything may have happened", isWithout, () =>
  withPostgres((url) =>
    withStores({ database: url }, (first) =>
      withStores({ database: url }, async (second) => {
        const heard = new Heard();
        second.get(SharedStore).listen("news", heard.hear);
        await heard.until(() => heard.all.length === 1);
        await first.get(SharedStore).notify("news", "ü".repeat(5000));
        await heard.until(() => heard.all.length === 2);
        await first.get(SharedStore).notify("news", "short");
        await heard.until(() => heard.all.length === 3);
        assert.deepEqual(heard.all, [undefined, undefined, "short"]);
      }),
    ),
  ),
);

test("PostgreSQL: a listener that has lost its connection says so and hears again", isWithout, () =>
  withPostgres(async (url) => {
    const { proxy, url: database } = await startProxy(url, 5432);
    try {
      await withStores({ database: url }, (sender) =>
        withStores({ database }, async (app) => {
          const heard = new Heard();
          app.get(SharedStore).listen("news", heard.hear);
          await heard.until(() => heard.all.length === 1);
          await sender.get(SharedStore).notify("news", "first");
          await heard.until(() => heard.all.length === 2);
          await proxy.become("refused");
          await proxy.become("none");
          await heard.until(() => heard.all.length === 3);
          await recovered(async () => {
            await sender.get(SharedStore).notify("news", "second");
            assert.ok(heard.texts.includes("second"));
          });
          assert.deepEqual(heard.all.slice(0, 4), [undefined, "first", undefined, "second"]);
        }),
      );
    } finally {
      await proxy.stop();
    }
  }),
);

test("PostgreSQL: a listener that throws keeps its connection, and a foreign text is heard as it is", isWithout, () =>
  withPostgres(async (url) => {
    const lines: string[] = [];
    await withStores(
      { database: url },
      async (app) => {
        const heard = new Heard();
        app.get(SharedStore).listen("news", (text) => {
          heard.hear(text);
          throw new Error("listener");
        });
        await heard.until(() => heard.all.length === 1);
        const foreign = new pg.Client({ connectionString: url });
        await foreign.connect();
        await foreign.query(`notify news, 'tenon a [text]'`);
        await foreign.query("notify news, 'last'");
        await heard.until(() => heard.all.includes("last"));
        await foreign.end();
        assert.deepEqual(heard.all, [undefined, "tenon a [text]", "last"]);
        assert.equal(lines.filter((line) => line.includes("a listener of a channel has failed")).length, 3);
      },
      { level: "warn", destination: { write: (line) => lines.push(line) } },
    );
  }),
);

test("PostgreSQL: a listener that cannot connect logs it", isWithout, () =>
  withPostgres(async (url) => {
    const logged = Promise.withResolvers<string>();
    const listenUrl = new URL(url);
    listenUrl.pathname = "/tenon_test_missing";
    await withStores(
      { database: url, postgres: { listenUrl: listenUrl.href } },
      async (app) => {
        app.get(SharedStore).listen("news", () => {});
        assert.match(await logged.promise, /"channel":"news".*messages of other processes are not heard/);
      },
      { level: "warn", destination: { write: (line) => logged.resolve(line) } },
    );
  }),
);
