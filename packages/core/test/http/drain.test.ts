import assert from "node:assert/strict";
import { test } from "node:test";
import { ChildServer } from "../support/child-server.ts";

const clients = 20;
const most = 2000;

test("a steady stream of new connections does not keep the listener open during a stop", () =>
  ChildServer.run("stoppable.ts", ["{}"], async (server) => {
    let opened = 0;
    let responses = 0;
    let isRefused = false;
    /** Asks on one new connection after the other until it is refused. */
    const keepAsking = async () => {
      while (!isRefused && opened++ < most) {
        const client = server.connect().send("GET /busy HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        const [response] = await client.untilClosed();
        if (response?.body === '"blocked"') responses++;
        else isRefused = true;
      }
    };
    const asking = Array.from({ length: clients }, keepAsking);
    await server.says("blocking", 3 * clients);
    const before = responses;
    server.signal("SIGTERM");
    await Promise.all(asking);
    assert.equal(await server.exit(), 0);
    assert.ok(isRefused);
    const after = responses - before;
    assert.ok(after < 10 * clients, `${after} requests were served on connections that came after the signal`);
  }));
