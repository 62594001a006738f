import assert from "node:assert/strict";
import type { UpgradeHandler } from "@tenon/core";
import { Gate, request } from "../support/gate.ts";
import { testOnWire } from "../support/wire.ts";

const switching = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n";
const upgrade = "Connection: Upgrade\r\nUpgrade: echo\r\n";

/** Sends back what it gets, with the path and a header of the request before it. */
class Echo implements UpgradeHandler {
  readonly taken: string[] = [];
  ended = 0;

  accepts(head: { readonly url: string }): boolean {
    return head.url.startsWith("/echo");
  }

  take: UpgradeHandler["take"] = (incoming, socket, buffered) => {
    this.taken.push(`${incoming.method} ${incoming.path}?${incoming.search} ${incoming.header("x-name")}`);
    socket.on("error", () => {});
    socket.write(switching);
    socket.write(buffered);
    socket.on("data", (chunk: Buffer) => socket.write(chunk));
    socket.on("end", () => socket.end());
    return () => {
      this.ended++;
      socket.end("bye");
    };
  };
}

const echo = new Echo();
testOnWire(
  "an upgrade handler gets the request, the socket and the bytes after the request",
  new Gate().routes,
  async ({ connect }) => {
    const client = connect().send(`${request("/echo?a=1", `${upgrade}X-Name: ada\r\n`)}first `);
    await client.until(({ text }) => text === `${switching}first `, "bytes that came with the request");
    client.send("second");
    await client.until(({ text }) => text === `${switching}first second`, "later bytes");
    assert.deepEqual(echo.taken, ["GET /echo?a=1 ada"]);
    client.socket.end();
    await client.until(({ closed }) => closed, "end");
  },
  { upgrade: echo },
);

const elsewhere = new Echo();
testOnWire(
  "a request that the handler does not accept, one with a body and one without Upgrade are plain HTTP",
  [...new Gate().routes, { method: "POST", path: "/echo", handler: () => "plain" }],
  async ({ untilClosed, send }) => {
    const [response] = await untilClosed(request("/fast/1", upgrade));
    assert.deepEqual([response?.status, response?.body, response?.headers.get("connection")], [200, '"1"', "close"]);
    const body = `POST /echo HTTP/1.1\r\nHost: localhost\r\n${upgrade}Content-Length: 5\r\n\r\nhello`;
    assert.deepEqual(
      (await untilClosed(body)).map(({ status }) => status),
      [200],
    );
    assert.equal((await send(request("/echo"))).status, 404);
    assert.deepEqual(elsewhere.taken, []);
  },
  { upgrade: elsewhere },
);

const refused = new Echo();
testOnWire(
  "a malformed upgrade is refused like any other request",
  [],
  async ({ untilClosed }) => {
    const responses = await untilClosed(request("/echo", `${upgrade}Host: other\r\n`));
    assert.deepEqual(
      responses.map(({ status }) => status),
      [400],
    );
    assert.deepEqual(refused.taken, []);
  },
  { upgrade: refused },
);

const stopped = new Echo();
testOnWire(
  "a stop ends the connections of other protocols",
  [],
  async ({ connect, app }) => {
    const client = connect().send(request("/echo", upgrade));
    await client.until(({ text }) => text === switching, "response");
    const stop = app.stop();
    await client.until(({ closed }) => closed, "end");
    await stop;
    assert.deepEqual([client.text, stopped.ended], [`${switching}bye`, 1]);
  },
  { upgrade: stopped },
);

const failing = new Echo();
failing.take = () => {
  throw new Error("take failed");
};
testOnWire(
  "an upgrade whose handler throws closes the connection, and one of HTTP/1.0 is plain HTTP",
  [{ method: "GET", path: "/echo", handler: () => "plain" }],
  async ({ untilClosed, log }) => {
    assert.deepEqual(await untilClosed(request("/echo", upgrade)), []);
    const [old] = await untilClosed(`GET /echo HTTP/1.0\r\n${upgrade}\r\n`);
    assert.equal(old?.body, '"plain"');
    assert.deepEqual(log.messages("error"), ["GET /echo: the upgrade failed"]);
  },
  { upgrade: failing },
);

testOnWire(
  "a request whose upgrade cannot be decided is plain HTTP",
  [{ method: "GET", path: "/echo", handler: () => "plain" }],
  async ({ untilClosed, log }) => {
    const [response] = await untilClosed(request("/echo", upgrade));
    assert.equal(response?.body, '"plain"');
    assert.deepEqual(log.messages("error"), ["accepts() of the upgrade handler failed"]);
  },
  {
    upgrade: {
      accepts: () => {
        throw new Error("accepts failed");
      },
      take: new Echo().take,
    },
  },
);

const duringStop = new Echo();
testOnWire(
  "an upgrade that arrives during a stop is plain HTTP",
  [{ method: "GET", path: "/echo", handler: () => "plain" }, ...new Gate().routes],
  async ({ connect, app }) => {
    const client = connect().send(request("/fast/1"));
    await client.responses(1);
    const stop = app.stop();
    client.send(request("/echo", upgrade));
    const responses = await client.untilClosed();
    await stop;
    assert.equal(responses.at(-1)?.body, '"plain"');
    assert.deepEqual(duringStop.taken, []);
  },
  { upgrade: duringStop },
);
