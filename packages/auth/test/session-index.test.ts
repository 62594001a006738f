import assert from "node:assert/strict";
import { test } from "node:test";
import { Logins, SessionAuth, SessionOrigin, Sessions } from "@tenon/auth";
import { type Context, inject, type Routes } from "@tenon/core";
import type { TestClient } from "@tenon/core/testing";
import { type AnyDatabase, Database, KeyValue, Sweeps } from "@tenon/data";
import { shared } from "../../data/test/support/stores.ts";
import { type AuthApp, withAuth } from "./support/auth-app.ts";

class Account {
  readonly #sessions = inject(Sessions);

  routes(): Routes {
    return [
      { method: "POST", path: "/login/:user", handler: this.login, middlewares: [SessionOrigin] },
      { method: "POST", path: "/logout", handler: (ctx: Context) => this.#sessions.close(ctx) },
      { method: "POST", path: "/others", handler: this.endOthers, middlewares: [SessionAuth] },
      { method: "GET", path: "/me", handler: (ctx: Context) => ctx.get("user_id"), middlewares: [SessionAuth] },
    ];
  }

  login = (ctx: Context) => this.#sessions.open(ctx, ctx.param("user"));
  endOthers = (ctx: Context) => this.#sessions.endOthers(ctx, ctx.get("user_id") ?? "");
}

function run(name: string, body: (sessions: Sessions, parts: AuthApp) => Promise<void>): void {
  for (const adapter of shared) {
    test(`${name} (${adapter.name})`, () =>
      adapter.with((data) =>
        withAuth({ data, declarations: [Account] }, (parts) => body(parts.app.get(Sessions), parts)),
      ));
  }
}

async function login(client: TestClient, user: string): Promise<string> {
  const response = await client.request("POST", `/login/${user}`, { headers: { "user-agent": "Browser 1" } });
  return String(await response.json());
}

run("sessions are listed with address, client and last use, the newest first", async (sessions, { app, clock }) => {
  const user = crypto.randomUUID();
  const start = clock.timestamp();
  const first = await sessions.create(user, { address: "192.0.2.1", client: `${"x".repeat(199)}\ud83d\ude00` });
  clock.advance("299s");
  await sessions.find(first);
  assert.equal((await sessions.list(user))[0]?.last_used_at, start, "not yet 5 minutes");
  clock.advance("1s");
  await sessions.find(first);
  const second = await login(app.client(), user);
  const now = clock.timestamp();
  assert.deepEqual(await sessions.list(user), [
    { id: sessions.idOf(second), created_at: now, last_used_at: now, address: "", client: "Browser 1" },
    {
      ...{ id: sessions.idOf(first), created_at: start, last_used_at: now },
      ...{ address: "192.0.2.1", client: `${"x".repeat(199)}\ufffd` },
    },
  ]);
  assert.deepEqual(await sessions.list("someone else"), []);
  clock.advance("86100s");
  assert.deepEqual(
    (await sessions.list(user)).map(({ id }) => id),
    [sessions.idOf(second)],
    "the first has expired",
  );
});

run("the rows of users who never return are deleted when they have expired", async (sessions, { app, clock }) => {
  const db: AnyDatabase = app.get(Database);
  const count = async () => (await db.selectFrom("auth_sessions").select("id").execute()).length;
  for (let user = 0; user < 3; user++) await sessions.create(crypto.randomUUID());
  clock.advance("1h");
  const kept = await sessions.create(crypto.randomUUID());
  clock.advance("23h");
  assert.equal(await count(), 4);
  await app.get(Sweeps).run();
  assert.equal(await count(), 1);
  assert.ok(await sessions.find(kept));
});

run("a user ends one of the own sessions by its id, and none of another user", async (sessions) => {
  const [ada, eve] = [crypto.randomUUID(), crypto.randomUUID()];
  const [id, kept] = [await sessions.create(ada), await sessions.create(ada)];
  const entry = sessions.idOf(id);
  assert.equal(await sessions.end(eve, entry), false);
  assert.ok(await sessions.find(id));
  assert.equal(await sessions.end(ada, entry), true);
  assert.equal(await sessions.end(ada, entry), false);
  for (const other of ["", "\0", id, kept]) assert.equal(await sessions.end(ada, other), false);
  assert.equal(await sessions.find(id), undefined);
  assert.deepEqual(
    (await sessions.list(ada)).map((session) => session.id),
    [sessions.idOf(kept)],
  );
});

run("a login replaces the session of the cookie, and a logout ends it", async (sessions, { app }) => {
  const [ada, client] = [crypto.randomUUID(), app.client()];
  const first = await login(client, ada);
  const second = await login(client, ada);
  assert.equal(await sessions.find(first), undefined);
  assert.equal((await client.request("GET", "/me")).status, 200);
  assert.equal((await client.request("POST", "/logout")).status, 204);
  assert.deepEqual(await (await client.request("GET", "/me")).json(), { error: "Not authenticated" });
  assert.equal(await sessions.find(second), undefined);
  assert.deepEqual(await sessions.list(ada), []);
});

run(
  "ending the other logins keeps this session under a new id, until it would have expired",
  async (sessions, parts) => {
    const { app, clock } = parts;
    const [ada, client] = [crypto.randomUUID(), app.client()];
    const [other, first] = [await sessions.create(ada), await login(client, ada)];
    clock.advance("80000s");
    assert.equal((await client.request("POST", "/others")).status, 204);
    for (const id of [other, first]) assert.equal(await sessions.find(id), undefined);
    assert.equal((await sessions.list(ada)).length, 1);
    clock.advance("6399s");
    assert.equal((await client.request("GET", "/me")).status, 200);
    clock.advance("1s");
    assert.equal((await client.request("GET", "/me")).status, 401);
  },
);

test("a session does not outlive an end of all logins that runs while it ends the others", () =>
  withAuth({ declarations: [Account] }, async ({ app }) => {
    const client = app.client();
    await login(client, "ada");
    const store = app.get(KeyValue);
    const increment = store.increment.bind(store);
    store.increment = async (...given) => {
      store.increment = increment;
      await app.get(Logins).endAll("ada"); // by a reset of the password, on another instance
      return increment(...given);
    };
    await client.request("POST", "/others");
    assert.equal((await client.request("GET", "/me")).status, 401);
    assert.deepEqual(await app.get(Sessions).list("ada"), []);
  }));
