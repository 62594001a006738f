import assert from "node:assert/strict";
import { test } from "node:test";
import { authModule, BearerAuth, SessionAuth, Sessions, Tokens } from "@tenon/auth";
import { type Context, dto, inject, type Lease, routes, string } from "@tenon/core";
import { dataModule } from "@tenon/data";
import { Channels, events, LiveConnections, socket } from "@tenon/live";
import { EventReader } from "./support/event-reader.ts";
import { engines, withLiveApp } from "./support/live-app.ts";
import { SocketClient } from "./support/socket-client.ts";

const messages = { receives: {}, sends: { said: dto({ text: string("required") }) } };
const leases: Lease[] = [];

class Account {
  readonly sessions = inject(Sessions);
  readonly tokens = inject(Tokens);
  readonly #channels = inject(Channels);

  routes() {
    return routes([
      { method: "GET", path: "/socket", handler: this.socket, middlewares: [SessionAuth] },
      { method: "GET", path: "/events", handler: this.events, middlewares: [SessionAuth] },
      { method: "GET", path: "/token", handler: this.token, middlewares: [BearerAuth] },
      { method: "GET", path: "/lease", handler: this.lease, middlewares: [addLeases] },
      { method: "GET", path: "/plain", handler: (ctx: Context) => ({ isLive: ctx.isLive }), middlewares: [BearerAuth] },
    ]);
  }

  readonly socket = socket(messages, { open: (_, live) => this.#channels.subscribe("account", live), on: {} });
  readonly events = events({ sends: messages.sends }, (_, stream) => this.#channels.subscribe("account", stream));
  readonly token = events({ sends: messages.sends }, (_, stream) =>
    stream.send("said", { text: String(stream.leases[0]?.expiresAt) }),
  );
  readonly lease = events({ sends: messages.sends }, () => {});
}

function addLeases(ctx: Context, next: () => unknown): unknown {
  for (const lease of leases) ctx.addLease(lease);
  return next();
}

const data = dataModule({ database: "sqlite::memory:", keyValue: "memory:" });
const auth = authModule(data, { secret: "x".repeat(40), issuer: "test" });
const settings = { imports: [data, auth], options: { recheck: 40 } };

for (const engine of engines) {
  test(`connections are closed when their session ends, and others stay open (${engine})`, async () => {
    await withLiveApp(
      Account,
      async ({ app, url }) => {
        const { sessions } = app.get(Account);
        const [ended, kept] = [await sessions.create("ada"), await sessions.create("bob")];
        const headers = (id: string) => ({ cookie: `session_id=${id}` });
        const client = await SocketClient.open(`${url}/socket`, headers(ended));
        const other = await SocketClient.open(`${url}/socket`, headers(kept));
        const reader = await EventReader.open(`${url}/events`, headers(ended));
        await sessions.destroy(ended);
        assert.deepEqual(await client.closed, { code: 4401, reason: "the session has ended" });
        const last = await reader.next();
        assert.deepEqual([last?.event, last?.data], ["close", { reason: "the session has ended" }]);
        assert.equal(await reader.next(), undefined);
        assert.equal((await fetch(`${url}/events`, { headers: headers(ended) })).status, 401);
        assert.equal(app.get(LiveConnections).stats().endedLeases, 2);
        await app.get(Channels).publish("account", "said", { text: "still here" });
        assert.deepEqual((await other.next()).data, { text: "still here" });
        await other.close();
      },
      { ...settings, engine },
    );
  });
}

test("a token's lease is its expiry, and a plain route has none", async () => {
  await withLiveApp(
    Account,
    async ({ app, url }) => {
      const token = await app.get(Account).tokens.issue({ id: "ada", email: "ada@example.com", role: "" });
      const headers = { authorization: `Bearer ${token}` };
      const reader = await EventReader.open(`${url}/token`, headers);
      const event = await reader.next();
      assert.match(JSON.stringify(event?.data), /^\{"text":"\d{13}"\}$/);
      await reader.cancel();
      assert.deepEqual(await (await fetch(`${url}/plain`, { headers })).json(), { isLive: false });
    },
    settings,
  );
});

test("an expired lease ends the connection; a check that fails does not", async () => {
  let checks = 0;
  leases.splice(0);
  leases.push({
    reason: "never",
    isValid: () => {
      checks++;
      throw new Error("the store is down");
    },
  });
  await withLiveApp(
    Account,
    async ({ url }) => {
      const open = await EventReader.open(`${url}/lease`);
      while (checks < 2) await new Promise(setImmediate);
      leases.push({ reason: "the token has expired", expiresAt: Date.now() + 30 });
      const expiring = await EventReader.open(`${url}/lease`);
      assert.deepEqual((await expiring.next())?.data, { reason: "the token has expired" });
      const seen = checks;
      while (checks < seen + 1) await new Promise(setImmediate);
      await open.cancel();
    },
    settings,
  );
});
