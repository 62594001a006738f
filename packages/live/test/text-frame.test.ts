import assert from "node:assert/strict";
import { test } from "node:test";
import { dto, integer, routes, string } from "@tenon/core";
import { socket } from "@tenon/live";
import { TextFrame } from "../src/text-frame.ts";
import { engines, withLiveApp } from "./support/live-app.ts";
import { SocketClient } from "./support/socket-client.ts";

/** Also those around which the head of a frame grows, for letters of one, two and four bytes. */
const lengths = [1, 21, 22, 43, 44, 86, 87, 16_374, 16_375, 32_748, 32_749, 65_496, 65_497, 200_000];
const letters = ["x", "é", "🐱"];

class Letters {
  routes() {
    return routes([
      { method: "GET", path: "/plain", handler: this.plain },
      { method: "GET", path: "/compressed", handler: this.compressed },
    ]);
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

for (const engine of engines) {
  test(`messages of every length arrive, compressed or not (${engine})`, async () => {
    await withLiveApp(
      Letters,
      async ({ url }) => {
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
      },
      { engine },
    );
  });
}

test("a frame is made once", () => {
  const frame = new TextFrame("hello");
  assert.deepEqual([...frame.bytes], [0x81, 5, ...Buffer.from("hello")]);
  assert.equal(frame.bytes, frame.bytes);
});
