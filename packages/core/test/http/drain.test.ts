import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { testOnWire } from "../support/wire.ts";

let handled = 0;
testOnWire(
  "a steady stream of new connections does not keep the listener open during a stop",
  [
    {
      method: "GET",
      path: "/",
      handler: () => {
        handled++;
        const end = performance.now() + 5;
        while (performance.now() < end); // so that few connections fit into the time for the backlog
        return "ok";
      },
    },
  ],
  async ({ app, port }) => {
    const replies: Promise<string>[] = [];
    const open = () => {
      if (replies.length === 600) return;
      replies.push(
        new Promise((resolve) => {
          let text = "";
          connect({ port, host: "127.0.0.1" })
            .on("connect", function (this: Socket) {
              this.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
              open();
            })
            .on("data", (chunk) => {
              text += chunk;
            })
            .on("error", () => {})
            .on("close", () => resolve(text));
        }),
      );
    };
    open();
    while (handled === 0) await new Promise(setImmediate);
    await app.stop();
    const texts = await Promise.all(replies);
    assert.ok(texts.length < 300, `${texts.length} connections were opened during the stop`);
    assert.equal(
      texts.filter((text) => text.endsWith('"ok"')).length,
      handled,
      "each request that was handled got its response",
    );
  },
);
