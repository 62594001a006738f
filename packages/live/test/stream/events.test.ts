import assert from "node:assert/strict";
import { test } from "node:test";
import { api, type Context, defineModule, dto, HttpError, inject, integer, type Routes, string } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { Channels, type EventStream, events, InvalidMessage, LiveConnections, liveModule } from "@tenon/live";
import { EventReader } from "../support/event-reader.ts";
import { withLiveApp } from "../support/live-app.ts";

const Said = dto("Said", { text: string("required") });
const secret = { text: "hello", password: "hunter2" };

class Feeds {
  readonly channels = inject(Channels);
  readonly connections = inject(LiveConnections);
  readonly streams: EventStream<{ readonly said: typeof Said }>[] = [];

  routes(): Routes {
    return [
      { method: "GET", path: "/rooms/:room", handler: this.room },
      { method: "GET", path: "/both", handler: this.both },
      { method: "GET", path: "/guarded", handler: this.guarded, middlewares: [guard] },
      { method: "GET", path: "/held", handler: this.held },
      { method: "GET", path: "/failing", handler: this.failing },
      { method: "POST", path: "/rooms/:room", handler: this.say },
    ];
  }

  readonly room = events({ sends: { said: Said } }, (ctx: Context<"/rooms/:room">, stream) =>
    this.channels.subscribe(ctx.param("room"), stream),
  );

  readonly guarded = events({ sends: { said: Said } }, (_, stream) => this.channels.subscribe("guarded", stream));

  readonly both = events({ sends: { said: Said } }, async (_, stream) => {
    await Promise.all([this.channels.subscribe("a", stream), this.channels.subscribe("b", stream)]);
  });

  readonly held = events({ sends: { said: Said }, query: dto({ after: integer() }) }, (_, stream, { query }) => {
    this.streams.push(stream);
    stream.send("said", { text: `after ${query.after ?? 0}, ${stream.lastEventId}` }, { id: "7" });
  });

  readonly failing = events({ sends: { said: Said }, errors: { 404: "No such room" } }, (ctx) => {
    if (ctx.request().queries().as === "reply") return ctx.status(404).json({ error: "No such room" });
    return ctx.fail(404);
  });

  async say(ctx: Context<"/rooms/:room">) {
    await this.channels.publish(ctx.param("room"), "said", { text: ctx.query("text") });
  }
}

function guard(ctx: Context, next: () => unknown): unknown {
  if (ctx.header("x-key") === "") throw new HttpError(401, "Unauthorized");
  return next();
}

test("events of a topic arrive in order, with ids and without undeclared fields", async () => {
  const check = async ({ app, url }: { app: { get: <T>(key: new () => T) => T }; url: string }) => {
    const reader = await EventReader.open(`${url}/rooms/one`);
    assert.equal(reader.response.headers.get("content-type"), "text/event-stream");
    assert.equal(reader.response.headers.get("cache-control"), "no-store, no-transform");
    assert.equal(reader.response.headers.get("x-accel-buffering"), "no");
    await reader.until(({ id }) => id !== "");
    assert.ok(Number(reader.retry) >= 1000 && Number(reader.retry) <= 2000, reader.retry);
    const { channels } = app.get(Feeds);
    assert.equal(channels.count("one"), 1);
    for (let number = 0; number < 5; number++) await channels.publish("one", "said", { ...secret, text: `${number}` });
    const got = await reader.take(5);
    assert.deepEqual(
      got.map(({ event, data }) => [event, data]),
      [0, 1, 2, 3, 4].map((number) => ["said", { text: `${number}` }]),
    );
    assert.equal(new Set(got.map(({ id }) => id)).size, 5);
    await reader.cancel();
  };
  await withLiveApp(Feeds, check);
});

test(`a client that reconnects gets what it has missed, and "reset" when that is gone`, async () => {
  await withLiveApp(
    Feeds,
    async ({ app, url }) => {
      const { channels } = app.get(Feeds);
      const first = await EventReader.open(`${url}/rooms/one`);
      await first.until(({ id }) => id !== "");
      const { id } = first;
      await first.cancel();
      for (const text of ["1", "2", "3"]) await channels.publish("one", "said", { text });
      const second = await EventReader.open(`${url}/rooms/one`, { "last-event-id": id });
      const [, last] = await second.take(3);
      await second.cancel();
      for (const text of ["4", "5"]) await channels.publish("one", "said", { text });
      const third = await EventReader.open(`${url}/rooms/one?lastEventId=${last?.id}`);
      assert.deepEqual(
        (await third.take(3)).map(({ data }) => data),
        ["3", "4", "5"].map((text) => ({ text })),
      );
      await third.cancel();
      await channels.publish("one", "said", { text: "6" });
      await channels.publish("one", "said", { text: "7" });
      const forged = id.replace(/-\d+\.\d+\./, "-0.0.");
      for (const unknown of [id, forged, "nonsense", "1-1", "1-1.1.0123456789abcdef", `${id},`.repeat(200)]) {
        const late = await EventReader.open(`${url}/rooms/one`, { "last-event-id": unknown });
        assert.deepEqual(await late.next().then((event) => [event?.event, event?.data]), ["reset", { topic: "one" }]);
        await channels.publish("one", "said", { text: "now" });
        assert.deepEqual((await late.next())?.data, { text: "now" });
        await late.cancel();
      }
    },
    { options: { bufferEvents: 3 } },
  );
});

test("a rejected stream is a normal response, and a failed handler leaves nothing open", async () => {
  await withLiveApp(Feeds, async ({ app, url }) => {
    const rejected = await fetch(`${url}/guarded`);
    assert.deepEqual([rejected.status, await rejected.json()], [401, { error: "Unauthorized" }]);
    for (const path of ["/failing", "/failing?as=reply"]) {
      const failed = await fetch(`${url}${path}`);
      assert.deepEqual([failed.status, await failed.json()], [404, { error: "No such room" }]);
    }
    const head = await fetch(`${url}/rooms/one`, { method: "HEAD" });
    assert.equal(head.headers.get("content-type"), "text/event-stream");
    assert.equal(app.get(LiveConnections).stats().streams, 0);
    assert.equal(app.get(Channels).count("one"), 0);
  });
});

test("a slow client is disconnected with a reason, and the others lose nothing", async () => {
  await withLiveApp(
    Feeds,
    async ({ app, url }) => {
      const { channels } = app.get(Feeds);
      const fast = await EventReader.open(`${url}/rooms/one`);
      const slow = await EventReader.open(`${url}/rooms/one`);
      await Promise.all([fast, slow].map((reader) => reader.until(({ id }) => id !== "")));
      const text = "x".repeat(50_000);
      let sent = 0;
      while (app.get(LiveConnections).stats().slowClients === 0) {
        await channels.publish("one", "said", { text: `${sent} ${text}` });
        assert.equal(String((await fast.next())?.data).length > 0, true);
        sent++;
      }
      assert.equal(channels.count("one"), 1);
      let last = await slow.next();
      let got = 0;
      for (let event = last; event !== undefined; event = await slow.next()) {
        last = event;
        got++;
      }
      assert.deepEqual([last?.event, last?.data], ["close", { reason: "the client reads too slowly" }]);
      assert.ok(got <= sent);
      await fast.cancel();
    },
    { options: { bufferEvents: 10 } },
  );
});

test("a burst of events disconnects no client that reads", async () => {
  await withLiveApp(Feeds, async ({ app, url }) => {
    const { channels, connections } = app.get(Feeds);
    const reader = await EventReader.open(`${url}/rooms/one`);
    await reader.until(({ id }) => id !== "");
    const text = "x".repeat(4000);
    const numbers = Array.from({ length: 200 }, (_, number) => number);
    await Promise.all(numbers.map((number) => channels.publish("one", "said", { text: `${number} ${text}` })));
    const got = (await reader.take(200)).map(({ data }) => Number.parseInt((data as { text: string }).text, 10));
    assert.deepEqual(got, numbers);
    assert.equal(connections.stats().slowClients, 0);
    await reader.cancel();
  });
});

test("a stop ends the streams of clients, and heartbeats keep them open before", async () => {
  await withLiveApp(
    Feeds,
    async ({ app, url }) => {
      const reader = await EventReader.open(`${url}/rooms/one`);
      await reader.until(({ comments }) => comments >= 2);
      const stop = app.stop();
      while ((await reader.next()) !== undefined) assert.fail("no event was published");
      await stop;
      assert.equal(app.get(LiveConnections).stats().streams, 0);
    },
    { options: { heartbeat: 20 } },
  );
});

test("a forged id reads nothing that was published before the subscription", async () => {
  await withLiveApp(Feeds, async ({ app, url }) => {
    const { channels } = app.get(Feeds);
    for (const text of ["1", "2", "3"]) await channels.publish("one", "said", { text });
    const reader = await EventReader.open(`${url}/rooms/one`);
    await reader.until(({ id }) => id !== "");
    const { id } = reader;
    await reader.cancel();
    assert.match(id, /^\d+-3\.3\./);
    const [epoch = "", ticket = ""] = id.split(/-3\./);
    const forged = ["0.0", "0.3", "1.1", "3.2"].map((text) => `${epoch}-${text}${ticket.slice(1)}`);
    for (const other of [...forged, `${epoch}-0.abc`, `${epoch}-0`]) {
      const stranger = await EventReader.open(`${url}/rooms/one`, { "last-event-id": other });
      await channels.publish("one", "said", { text: "now" });
      const got = await stranger.take(2);
      assert.deepEqual(
        got.map(({ event, data }) => [event, data]),
        [
          ["reset", { topic: "one" }],
          ["said", { text: "now" }],
        ],
        other,
      );
      await stranger.cancel();
    }
  });
});

test("streams that open together are told to come back at different times", async () => {
  await withLiveApp(Feeds, async ({ url }) => {
    const readers = await Promise.all(Array.from({ length: 10 }, () => EventReader.open(`${url}/rooms/one`)));
    for (const reader of readers) await reader.until(({ retry }) => retry !== "");
    assert.ok(new Set(readers.map(({ retry }) => retry)).size > 1);
    for (const reader of readers) await reader.cancel();
  });
});

test("a stream of two topics continues in both", async () => {
  await withLiveApp(Feeds, async ({ app, url }) => {
    const { channels } = app.get(Feeds);
    const first = await EventReader.open(`${url}/both`);
    await first.until(({ id }) => /^\d+-0\.0\.[\w-]+,\d+-0\.0\.[\w-]+$/.test(id));
    await channels.publish("a", "said", { text: "a1" });
    await first.next();
    const { id } = first;
    await first.cancel();
    await channels.publish("b", "said", { text: "b1" });
    await channels.publish("a", "said", { text: "a2" });
    const second = await EventReader.open(`${url}/both`, { "last-event-id": id });
    const texts = (await second.take(2)).map(({ data }) => (data as { text: string }).text);
    assert.deepEqual(texts.toSorted(), ["a2", "b1"]);
    await second.cancel();
  });
});

test("a handler sends on the stream that it keeps; what does not match the schema is not sent", async () => {
  const app = await createTestApp(
    defineModule({ name: "test", imports: [liveModule()], declarations: [Feeds] }),
    api({ middlewares: [] }),
  );
  const reader = new EventReader(await app.request("GET", "/held?after=3", { headers: { "last-event-id": "6" } }));
  const event = await reader.next();
  assert.deepEqual([event?.data, event?.id], [{ text: "after 3, 6" }, "7"]);
  const [stream] = app.get(Feeds).streams;
  assert.ok(stream);
  assert.throws(() => stream.send("said", {} as { text: string }), InvalidMessage);
  assert.throws(
    () => stream.send("shouted" as "said", { text: "" }),
    /"shouted" is not declared. This route sends said/,
  );
  assert.equal(app.get(LiveConnections).stats().unsentMessages, 2);
  stream.send("said", secret);
  assert.deepEqual((await reader.next())?.data, { text: "hello" });
  stream.close("enough");
  assert.deepEqual((await reader.next())?.data, { reason: "enough" });
  assert.equal(await reader.next(), undefined);
  assert.equal(stream.isOpen, false);
  const invalid = await app.request("GET", "/held?after=x");
  assert.equal(invalid.status, 400);
  await app.stop();
});

test("an event that does not match the schema of the route is counted and not sent", async () => {
  await withLiveApp(Feeds, async ({ app, url }) => {
    const { channels, connections } = app.get(Feeds);
    const readers = await Promise.all([1, 2].map(() => EventReader.open(`${url}/rooms/one`)));
    for (const reader of readers) await reader.until(({ id }) => id !== "");
    await channels.publish("one", "said", { text: 7 });
    await channels.publish("one", "elsewhere", { text: "another event of the topic" });
    await channels.publish("one", "said", { text: "fine" });
    for (const reader of readers) assert.deepEqual((await reader.next())?.data, { text: "fine" });
    assert.equal(connections.stats().unsentMessages, 1);
    for (const reader of readers) await reader.cancel();
  });
});

test("past the limit of connections a stream is refused with 503", async () => {
  await withLiveApp(
    Feeds,
    async ({ url }) => {
      const reader = await EventReader.open(`${url}/rooms/one`);
      const refused = await fetch(`${url}/rooms/one`);
      assert.deepEqual([refused.status, refused.headers.get("retry-after")], [503, "5"]);
      await reader.cancel();
    },
    { options: { connections: 1 } },
  );
});
