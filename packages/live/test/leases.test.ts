import assert from "node:assert/strict";
import { test } from "node:test";
import { authModule, BearerAuth, Logins, SessionAuth, Sessions, Tokens } from "@tenon/auth";
import { type Context, dto, inject, type Routes, string } from "@tenon/core";
import type { Lease } from "@tenon/core/internal";
import { dataModule } from "@tenon/data";
import { Channels, events, LiveConnections, socket } from "@tenon/live";
import { until } from "../../core/test/support/until.ts";
import { EventReader } from "./support/event-reader.ts";
import { withLiveApp } from "./support/live-app.ts";
import { SocketClient } from "./support/socket-client.ts";

const messages = { receives: {}, sends: { said: dto({ text: string("required") }) } };
const leases: Lease[] = [];

class Account {
  readonly sessions = inject(Sessions);
  readonly tokens = inject(Tokens);
  readonly #channels = inject(Channels);

  routes(): Routes {
    return [
      { method: "GET", path: "/socket", handler: this.socket, middlewares: [SessionAuth] },
      { method: "GET", path: "/events", handler: this.events, middlewares: [SessionAuth] },
      { method: "GET", path: "/token", handler: this.token, middlewares: [BearerAuth] },
      { method: "GET", path: "/lease", handler: this.lease, middlewares: [addLeases] },
      { method: "GET", path: "/leased-socket", handler: this.leased, middlewares: [addLeases] },
      { method: "GET", path: "/plain", handler: (ctx: Context) => ({ isLive: ctx.isLive }), middlewares: [BearerAuth] },
    ];
  }

  readonly socket = socket(messages, { open: (_, live) => this.#channels.subscribe("account", live), on: {} });
  readonly events = events({ sends: messages.sends }, (_, stream) => this.#channels.subscribe("account", stream));
  readonly token = events({ sends: messages.sends }, (_, stream) =>
    stream.send("said", { text: String(stream.leases[0]?.expiresAt) }),
  );
  readonly lease = events({ sends: messages.sends }, () => {});
  readonly leased = socket(messages, { on: {} });
}

function addLeases(ctx: Context, next: () => unknown): unknown {
  for (const lease of leases) ctx.addLease(lease);
  return next();
}

const data = dataModule({ database: "sqlite::memory:", keyValue: "memory:" });
const roles = new Map<string, string>();
const auth = authModule(data, {
  secret: "x".repeat(40),
  issuer: "test",
  findUser: () => (userId) => ({ role: roles.get(userId) ?? null }),
});
const settings = { imports: [data, auth], options: { recheck: 40 } };

test("connections are closed when their session ends, and others stay open", async () => {
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
    settings,
  );
});

test("connections are closed when all logins of their user are ended, and those of others stay open", async () => {
  await withLiveApp(
    Account,
    async ({ app, url }) => {
      const { sessions, tokens } = app.get(Account);
      const bearer = async (id: string) =>
        ({ authorization: `Bearer ${await tokens.issue({ id, email: "", role: "" })}` }) as const;
      const client = await SocketClient.open(`${url}/socket`, { cookie: `session_id=${await sessions.create("ada")}` });
      const [ended, kept] = [
        await EventReader.open(`${url}/token`, await bearer("ada")),
        await EventReader.open(`${url}/token`, await bearer("bob")),
      ];
      await Promise.all([ended.next(), kept.next()]);
      await app.get(Logins).endAll("ada");
      assert.deepEqual(await client.closed, { code: 4401, reason: "the session has ended" });
      assert.deepEqual((await ended.next())?.data, { reason: "the login has ended" });
      assert.equal(app.get(LiveConnections).stats().endedLeases, 2);
      await kept.cancel();
    },
    { ...settings, imports: [data, authModule(data, { secret: "x".repeat(40), endTokens: true })] },
  );
});

test("connections with a session are closed when the role of the user changes", async () => {
  roles.set("ada", "admin");
  await withLiveApp(
    Account,
    async ({ app, url }) => {
      const cookie = `session_id=${await app.get(Account).sessions.create("ada")}`;
      const client = await SocketClient.open(`${url}/socket`, { cookie });
      roles.set("ada", "user");
      assert.deepEqual(await client.closed, { code: 4401, reason: "the role of the user has changed" });
      await (await SocketClient.open(`${url}/socket`, { cookie })).close(); // with the new role
    },
    settings,
  );
});

test("a client continues only as the user whose connection it was", async () => {
  await withLiveApp(
    Account,
    async ({ app, url }) => {
      const { sessions } = app.get(Account);
      const open = async (user: string, id = "") =>
        EventReader.open(`${url}/events`, { cookie: `session_id=${await sessions.create(user)}`, "last-event-id": id });
      const first = await open("ada");
      await first.until(({ id }) => id !== "");
      await first.cancel();
      await app.get(Channels).publish("account", "said", { text: "missed" });
      const [same, other] = [await open("ada", first.id), await open("bob", first.id)];
      assert.deepEqual((await same.next())?.data, { text: "missed" });
      assert.equal((await other.next())?.event, "reset");
      for (const reader of [same, other]) await reader.cancel();
    },
    settings,
  );
});

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

test("an expired lease ends the connection; a check that fails once does not", async () => {
  let checks = 0;
  leases.splice(0);
  leases.push({
    reason: "never",
    isValid: () => {
      if (++checks === 1) throw new Error("the store is down");
      return true;
    },
  });
  await withLiveApp(
    Account,
    async ({ url }) => {
      const open = await EventReader.open(`${url}/lease`);
      await until(() => checks >= 2, "check after one that has failed");
      leases.push({ reason: "the token has expired", expiresAt: Date.now() + 30 });
      const expiring = await EventReader.open(`${url}/lease`);
      assert.deepEqual((await expiring.next())?.data, { reason: "the token has expired" });
      const seen = checks;
      await until(() => checks > seen, "further check of the other connection");
      await open.cancel();
    },
    { ...settings, options: { recheck: 1000 } },
  );
});

test("connections end when their session cannot be checked, whether the store fails or does not respond", async () => {
  const checks = [
    () => {
      throw new Error("the store is down");
    },
    () => new Promise<boolean>(() => {}),
  ];
  for (const isValid of checks) {
    leases.splice(0);
    await withLiveApp(
      Account,
      async ({ app, url }) => {
        const free = await EventReader.open(`${url}/lease`);
        leases.push({ reason: "never", isValid });
        const reader = await EventReader.open(`${url}/lease`);
        const client = await SocketClient.open(`${url}/leased-socket`);
        const last = await reader.next();
        assert.deepEqual([last?.event, last?.data], ["close", { reason: "the session could not be checked" }]);
        assert.deepEqual(await client.closed, { code: 1013, reason: "the session could not be checked" });
        assert.equal(app.get(LiveConnections).stats().streams, 1, "a connection without a session stays open");
        await free.cancel();
      },
      settings,
    );
  }
});
