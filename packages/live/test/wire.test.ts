import assert from "node:assert/strict";
import { test } from "node:test";
import { dto, integer, type Routes, string } from "@tenon/core";
import { socket } from "@tenon/live";
import { SocketOutbox } from "../src/socket/socket-outbox.ts";
import { StreamOutbox } from "../src/stream/stream-outbox.ts";
import { joinWires, toShortWire, toWire } from "../src/wire.ts";
import { withLiveApp } from "./support/live-app.ts";
import { SocketClient } from "./support/socket-client.ts";

/** Also those around which the head of a frame grows, for letters of one, two and four bytes. */
const lengths = [1, 21, 22, 43, 44, 86, 87, 16_374, 16_375, 32_748, 32_749, 65_496, 65_497, 200_000];
const letters = ["x", "é", "🐱"];

class Letters {
  routes(): Routes {
    return [
      { method: "GET", path: "/plain", handler: this.plain },
      { method: "GET", path: "/compressed", handler: this.compressed },
    ];
  }

  readonly plain = this.#repeat(false);
  readonly compressed = this.#repeat(true);

  #repeat(compression: boolean) {
    const contract = {
      receives: { repeat: dto({ letter: string("required"), length: integer("required") }) },
      sends: { repeated: dto({ text: string("required") }) },
      limits: { pendingBytes: 4_000_000, messagesPerSecond: 1000 },
      compression,
    };
    return socket(contract, {
      on: { repeat: (_, live, { letter, length }) => live.send("repeated", { text: letter.repeat(length) }) },
    });
  }
}

test("messages of every length arrive, compressed or not", async () => {
  await withLiveApp(Letters, async ({ url }) => {
    for (const path of ["/plain", "/compressed"]) {
      const client = await SocketClient.open(`${url}${path}`);
      assert.equal(client.socket.extensions.includes("permessage-deflate"), path === "/compressed");
      for (const letter of letters) {
        for (const length of lengths) client.send("repeat", { letter, length });
        for (const length of lengths) {
          assert.deepEqual(await client.next(), { event: "repeated", data: { text: letter.repeat(length) } });
        }
      }
      await client.close();
    }
  });
});

test("messages are joined to their bytes, and one without a head is not copied", () => {
  const shared = toWire("größe");
  assert.equal(joinWires([shared]), shared.body);
  const joined = joinWires([toShortWire(":\n"), { head: "id: 1\n", body: shared.body }, shared]);
  assert.equal(joined.toString(), ":\nid: 1\ngrößegröße");
});

test("what waits for a client is counted in bytes, not in characters", () => {
  for (const Outbox of [StreamOutbox, SocketOutbox]) {
    const ended: string[] = [];
    const outbox = new Outbox(10, { end: ({ reason }) => void ended.push(reason) });
    outbox.push(toWire("éééé"));
    outbox.push(toWire("é"));
    assert.deepEqual(ended, [], Outbox.name);
    outbox.push(toWire("x"));
    assert.deepEqual(ended, ["the client reads too slowly"], Outbox.name);
  }
});
