import assert from "node:assert/strict";
import { test } from "node:test";
import { dto, inject, routes, string } from "@tenon/core";
import { Channels, type LiveSocket, type Subscription, socket } from "@tenon/live";
import { LiveEvent } from "../src/channels/live-event.ts";
import { formatId } from "../src/channels/position.ts";
import { TopicList } from "../src/topic-list.ts";
import { engines, withLiveApp } from "./support/live-app.ts";
import { type Frame, SocketClient } from "./support/socket-client.ts";

const Room = dto("Room", { room: string("required") });
const Said = dto("Said", { text: string("required") });
const messages = { receives: { join: Room, leave: Room }, sends: { said: Said, joined: Room } };

/** Clients choose their rooms. */
class Rooms {
  readonly channels = inject(Channels);
  readonly #subscriptions = new WeakMap<LiveSocket<typeof messages.sends>, Map<string, Subscription>>();

  routes() {
    return routes([{ method: "GET", path: "/rooms", handler: this.rooms }]);
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

test("the id of a connection keeps the topics that are not read yet", () => {
  const pushed: string[] = [];
  const format = {
    position: (id: string) => id,
    event: (_: LiveEvent, id: string) => id,
    reset: (_: string, id: string) => `reset ${id}`,
    reportFailedClose: () => {},
  };
  const outbox = { push: (id: string) => void pushed.push(id), whenRoom: () => undefined };
  const [a, b, c] = ["a", "b", "c"].map((topic) => formatId(topic, { epoch: 5, number: 7 }));
  const list = new TopicList(`${a},${b}`, outbox, format);
  const [one, other, third] = [list.join("a"), list.join("c"), list.join("b")];
  assert.deepEqual([one.from, other.from, third.from], [{ epoch: 5, number: 7 }, "unknown", { epoch: 5, number: 7 }]);
  one.deliver(new LiveEvent("a", "said", "1", { epoch: 5, number: 8 }));
  const lost = formatId("c", { epoch: 0, number: 1 });
  assert.equal(pushed.at(-1), `${formatId("a", { epoch: 5, number: 8 })},${lost},${b}`);
  other.reset?.({ epoch: 5, number: 7 });
  assert.equal(pushed.at(-1), `reset ${formatId("a", { epoch: 5, number: 8 })},${c},${b}`);
});

for (const engine of engines) {
  test(`a socket may leave topics and join others as often as it likes (${engine})`, async () => {
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
      { engine, options: { messagesPerSecond: 1000 } },
    );
  });

  test(`a socket continues in each topic, also when it subscribes in another order (${engine})`, async () => {
    await withLiveApp(
      Rooms,
      async ({ app, url }) => {
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
        // it loses the second connection before it has joined c, and joins a topic that is new to it
        const second = await SocketClient.open(`${url}/rooms?lastEventId=${id}`);
        const missed = await join(second, "b");
        assert.deepEqual(missed.map(textOf), ["b2"]);
        await second.close();
        const third = await SocketClient.open(`${url}/rooms?lastEventId=${missed[0]?.id}`);
        assert.deepEqual((await join(third, "c")).map(textOf), ["c4"]);
        assert.deepEqual(await join(third, "b"), []);
        assert.deepEqual(await join(third, "d"), []);
        await third.close();
      },
      { engine },
    );
  });
}
