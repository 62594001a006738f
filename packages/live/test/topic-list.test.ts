import assert from "node:assert/strict";
import { test } from "node:test";
import { dto, inject, type Routes, string } from "@tenon/core";
import { Channels, type LiveSocket, type Subscription, socket } from "@tenon/live";
import { LiveEvent } from "../src/channels/live-event.ts";
import { ResumeIds } from "../src/channels/position.ts";
import { TopicList } from "../src/topic-list.ts";
import { toShortWire, type Wire } from "../src/wire.ts";
import { withLiveApp } from "./support/live-app.ts";
import { type Frame, SocketClient } from "./support/socket-client.ts";

const Room = dto("Room", { room: string("required") });
const Said = dto("Said", { text: string("required") });
const messages = { receives: { join: Room, leave: Room }, sends: { said: Said, joined: Room } };

/** Clients choose their rooms. */
class Rooms {
  readonly channels = inject(Channels);
  readonly #subscriptions = new WeakMap<LiveSocket<typeof messages.sends>, Map<string, Subscription>>();

  routes(): Routes {
    return [{ method: "GET", path: "/rooms", handler: this.rooms }];
  }

  readonly rooms = socket(messages, {
    open: (_, live) => void this.#subscriptions.set(live, new Map()),
    on: {
      join: async (_, live, { room }) => {
        this.#subscriptions.get(live)?.set(room, await this.channels.subscribe(room, live));
        live.send("joined", { room });
      },
      leave: (_, live, { room }) => this.#subscriptions.get(live)?.get(room)?.close(),
    },
  });
}

async function join(client: SocketClient, room: string): Promise<Frame[]> {
  client.send("join", { room });
  const frames: Frame[] = [];
  for (;;) {
    const frame = await client.next();
    if (frame.event === "joined") return frames;
    frames.push(frame);
  }
}

/** A list whose messages are only their ids. */
function listOf(lastEventId: string, principal?: string) {
  const pushed: string[] = [];
  const ids = new ResumeIds({ secret: "x" });
  const format = {
    ids,
    position: (id: string) => toShortWire(id),
    event: (_: LiveEvent, id: string) => toShortWire(id),
    reset: (_: string, id: string) => toShortWire(`reset ${id}`),
    reportFailedClose: () => {},
  };
  const outbox = { push: ({ head }: Wire) => void pushed.push(head), whenRoom: () => undefined };
  const leases = principal === undefined ? [] : [{ reason: "", principal }];
  return { list: new TopicList(lastEventId, leases, outbox, format), pushed };
}

const at = (number: number) => ({ epoch: 5, number });
const eventOf = (topic: string, number: number) => new LiveEvent(topic, "said", "1", at(number));

/** The id of a connection that has begun in each topic at number 7. */
function idOf(topics: readonly string[], principal?: string): string {
  const { list, pushed } = listOf("", principal);
  for (const topic of topics) list.join(topic).begin?.(at(7));
  return pushed.at(-1) ?? "";
}

test("the id of a connection has the topics that it has continued in, and says when others are missing", () => {
  const { list, pushed } = listOf(idOf(["a", "b"]));
  const [one, other] = [list.join("a"), list.join("c")];
  assert.deepEqual([one.from, other.from], [at(7), "unknown"]);
  one.deliver(eventOf("a", 8));
  assert.equal(pushed.at(-1), `${idOf(["a"]).replace("-7.", "-8.")},~,~`);
  other.reset?.(at(7));
  assert.equal(pushed.at(-1), `reset ${idOf(["a"]).replace("-7.", "-8.")},${idOf(["c"])},~`);
  assert.deepEqual(list.join("b").from, at(7));
  assert.equal(listOf(pushed.at(-1)?.slice("reset ".length) ?? "").list.join("b").from, "unknown");
});

test("parts of an id that no topic claims are not repeated in each event", () => {
  const topics = Array.from({ length: 49 }, (_, index) => `topic ${index}`);
  const { list, pushed } = listOf(`${idOf(["a", ...topics])},${"nonsense".repeat(100)}`);
  list.join("a").deliver(eventOf("a", 8));
  assert.equal(pushed.at(-1), `${idOf(["a"]).replace("-7.", "-8.")},~`);
});

test("an id is for one topic, one principal, and what was published after the subscription", () => {
  const own = idOf(["a"], "ada");
  const isAccepted = (id: string, topic: string, principal?: string) =>
    listOf(id, principal).list.join(topic).from !== "unknown";
  assert.equal(isAccepted(own, "a", "ada"), true);
  assert.equal(isAccepted(own.replace("-7.", "-9."), "a", "ada"), true, "a later position");
  assert.equal(isAccepted(own, "b", "ada"), false, "another topic");
  assert.equal(isAccepted(own, "a", "bob"), false, "another principal");
  assert.equal(isAccepted(own, "a"), false, "no principal");
  assert.equal(isAccepted(own.replace("-7.", "-6."), "a", "ada"), false, "an earlier position");
  assert.equal(isAccepted(own.replace("-7.7.", "-6.6."), "a", "ada"), false, "an earlier start");
  assert.equal(isAccepted(own.replace("5-", "4-"), "a", "ada"), false, "another epoch");
});

test("a socket may leave topics and join others as often as it likes", async () => {
  await withLiveApp(
    Rooms,
    async ({ app, url }) => {
      const client = await SocketClient.open(`${url}/rooms`);
      for (let round = 0; round < 60; round++) {
        assert.deepEqual(await join(client, "one"), []);
        client.send("leave", { room: "one" });
      }
      for (let number = 0; number < 50; number++) assert.deepEqual(await join(client, `room ${number}`), []);
      client.send("join", { room: "one too many" });
      assert.equal((await client.next()).event, "error");
      assert.equal(app.get(Channels).count("one too many"), 0);
      assert.equal(app.get(Channels).topics().length, 50);
      await client.close();
    },
    { options: { messagesPerSecond: 1000 } },
  );
});

test("a socket continues in each topic, also when it subscribes in another order", async () => {
  await withLiveApp(Rooms, async ({ app, url }) => {
    const { channels } = app.get(Rooms);
    const say = (room: string, text: string) => channels.publish(room, "said", { text });
    const textOf = ({ data }: Frame) => (data as { text: string }).text;
    const first = await SocketClient.open(`${url}/rooms`);
    for (const room of ["a", "b"]) await join(first, room);
    first.send("leave", { room: "a" });
    await join(first, "c");
    for (const text of ["c1", "c2", "c3"]) await say("c", text);
    await say("b", "b1");
    let id: string | undefined;
    for (let count = 0; count < 4; count++) ({ id } = await first.next());
    await first.close();
    await say("b", "b2");
    await say("c", "c4");
    // it loses the second connection before it has joined c
    const second = await SocketClient.open(`${url}/rooms?lastEventId=${id}`);
    const missed = await join(second, "b");
    assert.deepEqual(missed.map(textOf), ["b2"]);
    await second.close();
    const third = await SocketClient.open(`${url}/rooms?lastEventId=${missed[0]?.id}`);
    assert.deepEqual(
      (await join(third, "c")).map(({ event }) => event),
      ["reset"],
    );
    assert.deepEqual(await join(third, "b"), []);
    await third.close();
  });
});
