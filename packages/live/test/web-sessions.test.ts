import assert from "node:assert/strict";
import { test } from "node:test";
import { type Context, defineModule, dto, inject, type Next, type Routes, string } from "@tenon/core";
import { createTestApp, FakeClock, useClock } from "@tenon/core/testing";
import { dataModule, KeyValue } from "@tenon/data";
import { Channels, events, LiveConnections, liveModule, socket } from "@tenon/live";
import { sessionsModule, WebSessions, web } from "@tenon/web";
import { EventReader } from "./support/event-reader.ts";
import { SocketClient } from "./support/socket-client.ts";

const Said = dto({ text: string("required") });
const ended = { code: 4401, reason: "the session has ended" };

async function requireName(ctx: Context, next: Next): Promise<unknown> {
  const name = await ctx.get("session").get<string>("name");
  return name === undefined ? { error: "Say who you are", status: 401 } : next();
}

class Account {
  readonly #channels = inject(Channels);

  routes(): Routes {
    return [
      { method: "GET", path: "/enter", handler: (ctx: Context) => ctx.get("session").set("name", "ada") },
      { method: "GET", path: "/again", handler: (ctx: Context) => ctx.get("session").regenerate() },
      { method: "GET", path: "/leave", handler: (ctx: Context) => ctx.get("session").destroy() },
      { method: "GET", path: "/socket", handler: this.socket, middlewares: [requireName] },
      { method: "GET", path: "/events", handler: this.events, middlewares: [requireName] },
      { method: "GET", path: "/own", handler: this.own },
      { method: "GET", path: "/public", handler: this.open },
    ];
  }

  readonly socket = socket(
    { receives: {}, sends: { said: Said } },
    { open: (_, live) => this.#channels.subscribe("account", live), on: {} },
  );
  readonly events = events({ sends: { said: Said } }, (_, stream) => this.#channels.subscribe("account", stream));
  /** Reads the session itself, not in a guard. */
  readonly own = events({ sends: { said: Said } }, async (ctx, stream) => {
    stream.send("said", { text: String(await ctx.get("session").get("name")) });
  });
  readonly open = events({ sends: { said: Said } }, (_, stream) => this.#channels.subscribe("account", stream));
}

interface Site {
  readonly clock: FakeClock;
  readonly url: string;
  readonly channels: Channels;
  readonly connections: LiveConnections;
  /** Requests a page and returns the cookie that it sets. */
  visit(path: string, cookie?: string): Promise<string>;
}

async function withSite(body: (site: Site) => Promise<void>): Promise<void> {
  const data = dataModule({ database: "sqlite::memory:", keyValue: "memory:" });
  const module = defineModule({
    name: "test",
    imports: [
      sessionsModule(data, { store: KeyValue, secret: "x".repeat(40), maxAge: 600 }),
      liveModule(undefined, { recheck: 40 }),
    ],
    declarations: [Account],
  });
  const views = { has: () => false, render: () => "" };
  const clock = new FakeClock();
  const app = await createTestApp(module, web({ views, middlewares: [WebSessions] }), { override: [useClock(clock)] });
  try {
    const { url } = await app.listen({ port: 0, signals: false });
    const visit = async (path: string, cookie = "") => {
      const response = await fetch(`${url}${path}`, { headers: { cookie } });
      assert.ok(response.ok, `${path}: ${response.status} ${await response.text()}`);
      return response.headers.get("set-cookie")?.split(";")[0] ?? "";
    };
    await body({ clock, url, visit, channels: app.get(Channels), connections: app.get(LiveConnections) });
  } finally {
    await app.stop();
  }
}

test("connections are closed when the web session that let them in is destroyed", async () => {
  await withSite(async ({ url, visit, channels, connections }) => {
    assert.equal((await SocketClient.refused(`${url}/socket`)).status, 401);
    const [cookie, kept] = [await visit("/enter"), await visit("/enter")];
    const client = await SocketClient.open(`${url}/socket`, { cookie });
    const reader = await EventReader.open(`${url}/events`, { cookie });
    const own = await EventReader.open(`${url}/own`, { cookie });
    assert.deepEqual((await own.next())?.data, { text: "ada" });
    const other = await SocketClient.open(`${url}/socket`, { cookie: kept });
    const open = await EventReader.open(`${url}/public`, { cookie });
    await visit("/leave", cookie);
    assert.deepEqual(await client.closed, ended);
    for (const stream of [reader, own]) {
      const last = await stream.next();
      assert.deepEqual([last?.event, last?.data], ["close", { reason: ended.reason }]);
    }
    await channels.publish("account", "said", { text: "still here" });
    assert.deepEqual((await other.next()).data, { text: "still here" });
    assert.deepEqual((await open.next())?.data, { text: "still here" });
    assert.equal(connections.stats().endedLeases, 3);
    await other.close();
    await open.cancel();
  });
});

test("a new session id, as after a login, closes the connections of the old one", async () => {
  await withSite(async ({ url, visit }) => {
    const cookie = await visit("/enter");
    const client = await SocketClient.open(`${url}/socket`, { cookie });
    const renewed = await visit("/again", cookie);
    assert.deepEqual(await client.closed, ended);
    await (await SocketClient.open(`${url}/socket`, { cookie: renewed })).close();
  });
});

test("connections are closed when their web session expires", async () => {
  await withSite(async ({ clock, url, visit }) => {
    const client = await SocketClient.open(`${url}/socket`, { cookie: await visit("/enter") });
    clock.advance("601s");
    assert.deepEqual(await client.closed, ended);
  });
});
