import assert from "node:assert/strict";
import { test } from "node:test";
import { authModule, BearerAuth, loaded, Policy, Tokens } from "@tenon/auth";
import { type Context, dto, inject, type Routes, string } from "@tenon/core";
import { dataModule, StoreError } from "@tenon/data";
import { Channels, events, LiveConnections, type Subscription, socket } from "@tenon/live";
import { until } from "../../core/test/support/until.ts";
import { EventReader } from "./support/event-reader.ts";
import { type LiveApp, withLiveApp } from "./support/live-app.ts";
import { SocketClient } from "./support/socket-client.ts";

interface Room {
  readonly topic: string;
  readonly members: readonly string[];
}
const rooms = new Map<string, Room>();
/** What the next look-ups throw. */
const failures: Error[] = [];
const lookups: string[] = [];

class RoomMember extends Policy<Room> {
  readonly name = "room member";
  readonly missing = 404;
  readonly denied = 403;
  override readonly param = "room";

  load(id: string) {
    lookups.push(id);
    const failure = failures.shift();
    if (failure !== undefined) throw failure;
    return rooms.get(id);
  }
  allow(ctx: Context, { members }: Room) {
    return members.includes(String(ctx.get("user_id")));
  }
}

const Said = dto({ text: string("required") });
const InRoom = dto({ room: string("required") });

class Chat {
  readonly #channels = inject(Channels);
  readonly #member = inject(RoomMember);
  readonly #joined = new Map<string, Subscription>();
  readonly tokens = inject(Tokens);

  routes(): Routes {
    const middlewares = [BearerAuth, RoomMember];
    return [
      { method: "GET", path: "/rooms/:room/events", handler: this.events, middlewares },
      { method: "GET", path: "/rooms/:room/socket", handler: this.room, middlewares },
      { method: "GET", path: "/socket", handler: this.all, middlewares: [BearerAuth] },
    ];
  }

  readonly events = events({ sends: { said: Said } }, (ctx, stream) =>
    this.#channels.subscribe(loaded(ctx, RoomMember).topic, stream),
  );
  readonly room = socket(
    { receives: {}, sends: { said: Said } },
    { open: (ctx, live) => this.#channels.subscribe(loaded(ctx, RoomMember).topic, live), on: {} },
  );
  readonly all = socket(
    { receives: { join: InRoom, leave: InRoom }, sends: { said: Said } },
    {
      on: {
        join: async (ctx, live, { room }) => {
          const { topic } = await this.#member.check(ctx, room);
          const subscription = await this.#channels.subscribe(topic, live, this.#member.lease(ctx, room));
          this.#joined.set(room, subscription);
        },
        leave: (_, __, { room }) => this.#joined.get(room)?.close(),
      },
    },
  );
}

const data = dataModule({ database: "sqlite::memory:", keyValue: "memory:" });
const auth = authModule(data, { secret: "x".repeat(40) });

interface Chats extends LiveApp {
  headersOf(user: string): Promise<Record<string, string>>;
}

function withChat(body: (chat: Chats) => Promise<void>, recheck = 40) {
  rooms.clear();
  rooms.set("one", { topic: "rooms/one", members: ["ada", "bob"] });
  return withLiveApp(
    Chat,
    async (live) => {
      const { tokens } = live.app.get(Chat);
      const headersOf = async (id: string) => ({
        authorization: `Bearer ${await tokens.issue({ id, email: `${id}@example.com`, role: "" })}`,
      });
      await body({ ...live, headersOf });
    },
    { imports: [data, auth], declarations: [RoomMember], options: { recheck } },
  );
}

test("a policy guards event streams and sockets by a parameter of the path", () =>
  withChat(async ({ app, url, headersOf }) => {
    const [ada, eve] = [await headersOf("ada"), await headersOf("eve")];
    const reader = await EventReader.open(`${url}/rooms/one/events`, ada);
    const client = await SocketClient.open(`${url}/rooms/one/socket`, ada);
    for (const [room, headers, status] of [
      ["one", eve, 403],
      ["two", ada, 404],
      ["one", {}, 401],
    ] as const) {
      assert.equal((await fetch(`${url}/rooms/${room}/events`, { headers })).status, status);
      assert.equal((await SocketClient.refused(`${url}/rooms/${room}/socket`, headers)).status, status);
    }
    await app.get(Channels).publish("rooms/one", "said", { text: "hello" });
    assert.deepEqual((await reader.next())?.data, { text: "hello" });
    assert.deepEqual((await client.next()).data, { text: "hello" });
    await reader.cancel();
    await client.close();
  }));

test("connections are closed when the policy no longer allows them, and others stay open", () =>
  withChat(async ({ app, url, headersOf }) => {
    const [ada, bob] = [await headersOf("ada"), await headersOf("bob")];
    const reader = await EventReader.open(`${url}/rooms/one/events`, ada);
    const client = await SocketClient.open(`${url}/rooms/one/socket`, ada);
    const kept = await SocketClient.open(`${url}/rooms/one/socket`, bob);
    rooms.set("one", { topic: "rooms/one", members: ["bob"] });
    const reason = 'the policy "room member" no longer allows it';
    assert.deepEqual(await client.closed, { code: 4401, reason });
    const last = await reader.next();
    assert.deepEqual([last?.event, last?.data], ["close", { reason }]);
    await app.get(Channels).publish("rooms/one", "said", { text: "still here" });
    assert.deepEqual((await kept.next()).data, { text: "still here" });
    rooms.delete("one");
    assert.deepEqual(await kept.closed, { code: 4401, reason });
    assert.equal(app.get(LiveConnections).stats().endedLeases, 3);
  }));

test("a policy whose store fails once does not close its connections", () =>
  withChat(async ({ app, url, headersOf }) => {
    const client = await SocketClient.open(`${url}/rooms/one/socket`, await headersOf("ada"));
    failures.push(new StoreError("UNAVAILABLE"));
    await until(() => failures.length === 0, "check that fails");
    await app.get(Channels).publish("rooms/one", "said", { text: "still here" });
    assert.deepEqual((await client.next()).data, { text: "still here" });
    rooms.delete("one");
    assert.equal((await client.closed).code, 4401);
  }, 400));

test("check() in the handler of a message refuses a topic, and the connection stays open", () =>
  withChat(async ({ app, url, headersOf }) => {
    rooms.set("secret", { topic: "rooms/secret", members: ["bob"] });
    const client = await SocketClient.open(`${url}/socket`, await headersOf("ada"));
    client.send("join", { room: "secret" }).send("join", { room: "lost" }).send("join", { room: "one" });
    assert.deepEqual(await client.next(), { event: "error", data: { event: "join", status: 403, error: "Forbidden" } });
    assert.deepEqual(await client.next(), { event: "error", data: { event: "join", status: 404, error: "Not Found" } });
    const channels = app.get(Channels);
    await until(() => channels.count("rooms/one") > 0, "subscription");
    await channels.publish("rooms/secret", "said", { text: "for bob" });
    await channels.publish("rooms/one", "said", { text: "for all" });
    assert.deepEqual((await client.next()).data, { text: "for all" });
    await client.close();
  }));

test("a connection is closed when the policy no longer allows a topic that a message has joined", () =>
  withChat(async ({ app, url, headersOf }) => {
    rooms.set("two", { topic: "rooms/two", members: ["ada"] });
    const channels = app.get(Channels);
    const client = await SocketClient.open(`${url}/socket`, await headersOf("ada"));
    const kept = await SocketClient.open(`${url}/socket`, await headersOf("bob"));
    for (const [one, room] of [
      [client, "one"],
      [client, "two"],
      [kept, "one"],
    ] as const)
      one.send("join", { room });
    await until(() => channels.count("rooms/one") === 2 && channels.count("rooms/two") === 1, "subscriptions");
    rooms.delete("two");
    assert.deepEqual(await client.closed, { code: 4401, reason: 'the policy "room member" no longer allows it' });
    await channels.publish("rooms/one", "said", { text: "still here" });
    assert.deepEqual((await kept.next()).data, { text: "still here" });
    await kept.close();
  }));

test("a topic that was left is not checked again", () =>
  withChat(async ({ app, url, headersOf }) => {
    rooms.set("two", { topic: "rooms/two", members: ["ada"] });
    const client = await SocketClient.open(`${url}/socket`, await headersOf("ada"));
    for (const room of ["two", "one"]) client.send("join", { room });
    const channels = app.get(Channels);
    await until(() => channels.count("rooms/one") === 1, "subscriptions");
    client.send("leave", { room: "two" });
    await until(() => channels.count("rooms/two") === 0, "end of the subscription");
    rooms.delete("two");
    const before = lookups.length;
    const countOne = () => lookups.slice(before).filter((id) => id === "one").length;
    await until(() => countOne() >= 3, "checks");
    assert.ok(!lookups.includes("two", lookups.indexOf("one", before))); // the check at work may have begun before
    await channels.publish("rooms/one", "said", { text: "still here" });
    assert.deepEqual((await client.next()).data, { text: "still here" });
    await client.close();
  }));
