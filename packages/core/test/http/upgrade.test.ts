import assert from "node:assert/strict";
import type { Duplex } from "node:stream";
import { type ApiOptions, type Context, HttpError, Reply, type Routes } from "@tenon/core";
import { releaseRequest } from "@tenon/core/internal";
import { Upgrade } from "@tenon/core/platform";
import { connectionsOf } from "../support/connections.ts";
import { request } from "../support/gate.ts";
import { testOnBothTransports } from "../support/transports.ts";
import { until } from "../support/until.ts";
import { testOnWire, type Wire } from "../support/wire.ts";

const websocket = "Connection: Upgrade\r\nUpgrade: websocket\r\n";

/** Sends back what it gets, after a head with the headers that it was given. */
class Echo {
  taken = 0;
  discarded = 0;
  readonly seen: string[] = [];
  #ready: Promise<void> = Promise.resolve();

  /** Makes the handler wait until the returned function is called. */
  hold(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#ready = promise;
    return resolve;
  }

  readonly routes: Routes = [
    {
      method: "GET",
      path: "/echo/:name",
      handler: (ctx: Context) => this.#reply(ctx),
      middlewares: [
        (ctx, next) => {
          this.seen.push(ctx.param("name"));
          if (ctx.header("x-key") === "") throw new HttpError(401, "Unauthorized");
          ctx.response().setHeader("x-guard", "passed");
          return next();
        },
      ],
    },
  ];

  async #reply(ctx: Context): Promise<Reply> {
    await this.#ready;
    const upgrade = new Upgrade("websocket", {
      take: (socket, buffered, headers) => {
        this.taken++;
        const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
        socket.on("error", () => {});
        socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines}\r\n${ctx.param("name")} `);
        socket.write(buffered);
        socket.on("data", (chunk: Buffer) => socket.write(chunk));
        socket.on("end", () => socket.end());
        return () => socket.end(" bye");
      },
      discard: () => {
        this.discarded++;
      },
    });
    return new Reply(101, "raw", upgrade);
  }
}

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const engines = major > 24 || minor >= 9 ? (["wire", "node"] as const) : (["wire"] as const); // as docs/http-engines.md says

/** On both engines, each with routes of its own. */
function testOnEngines(
  name: string,
  routesOf: (echo: Echo) => Routes,
  body: (wire: Wire, echo: Echo) => Promise<void>,
  options: ApiOptions = {},
): void {
  for (const engine of engines) {
    const echo = new Echo();
    testOnWire(`${engine}: ${name}`, routesOf(echo), (wire) => body(wire, echo), { ...options, engine });
  }
}

const ofEcho = (echo: Echo): Routes => echo.routes;
testOnEngines(
  "a route takes over the connection after its middlewares, with their headers and the bytes that came early",
  ofEcho,
  async ({ connect, log, app }, echo) => {
    const client = connect().send(`${request("/echo/ada", `${websocket}X-Key: 1\r\n`)}first `);
    await client.until(({ text }) => text.endsWith("\r\n\r\nada first "), "early bytes");
    assert.match(client.text, /^HTTP\/1\.1 101 [\s\S]*x-guard: passed\r\n/);
    client.send("second");
    await client.until(({ text }) => text.endsWith("second"), "later bytes");
    assert.equal(await connectionsOf(app), 1);
    const [line] = log.all.filter(({ msg }) => msg === "request");
    assert.deepEqual([line?.status, line?.path], [101, "/echo/ada"]);
    const stop = app.stop();
    await client.until(({ closed }) => closed, "end");
    await stop;
    assert.ok(client.text.endsWith("second bye"));
    assert.deepEqual([echo.taken, echo.discarded], [1, 0]);
  },
);

testOnEngines(
  "an upgrade that a guard rejects, and one without a route, are normal responses",
  ofEcho,
  async ({ untilClosed }, echo) => {
    const [rejected] = await untilClosed(request("/echo/ada", websocket));
    assert.deepEqual([rejected?.status, rejected?.body], [401, '{"error":"Unauthorized"}']);
    assert.equal(rejected?.headers.get("connection"), "close");
    const [missing] = await untilClosed(request("/elsewhere", websocket));
    assert.deepEqual([missing?.status, missing?.body], [404, '{"error":"Not Found"}']);
    const [malformed] = await untilClosed(request("/echo/ada", `${websocket}Host: other\r\n`));
    assert.equal(malformed?.status, 400);
    assert.deepEqual([echo.taken, echo.seen], [0, ["ada"]]);
  },
);

const plain = new Echo();
testOnBothTransports(
  "a plain request to a route that upgrades gets 426, and the upgrade is discarded",
  plain.routes,
  async (call) => {
    plain.discarded = 0;
    const response = await call("GET", "/echo/ada", { headers: { "x-key": "1" } });
    assert.deepEqual([response.status, response.headers.get("upgrade")], [426, "websocket"]);
    assert.deepEqual(await response.json(), { error: "Upgrade Required" });
    assert.deepEqual([plain.taken, plain.discarded], [0, 1]);
  },
);

const bodies = {
  "a known length": ["Content-Length: 3\r\n", "abc"],
  chunks: ["Transfer-Encoding: chunked\r\n", "3\r\nabc\r\n0\r\n\r\n"],
};
for (const [name, [framing = "", body = ""]] of Object.entries(bodies)) {
  testOnEngines(
    `a request with a body of ${name} is not upgraded, however its packets arrive`,
    ofEcho,
    async ({ connect, untilClosed }, echo) => {
      const head = request("/echo/ada", `${websocket}X-Key: 1\r\n${framing}`);
      const [whole] = await untilClosed(`${head}${body}more`);
      assert.equal(whole?.status, 426, "in one packet");
      const before = echo.seen.length;
      const client = connect().send(head);
      await until(() => echo.seen.length > before, "request");
      client.send(body);
      const [late] = await client.untilClosed();
      assert.equal(late?.status, 426, "in two packets");
      assert.equal(echo.taken, 0);
    },
  );
}

testOnEngines(
  "a request for another protocol that gets another response is plain HTTP, and its connection closes",
  (echo) => [...echo.routes, { method: "GET", path: "/plain", handler: () => "plain" }],
  async ({ untilClosed }, echo) => {
    const [plainly] = await untilClosed(request("/plain", websocket));
    assert.deepEqual([plainly?.status, plainly?.body, plainly?.headers.get("connection")], [200, '"plain"', "close"]);
    const [old] = await untilClosed(`GET /echo/ada HTTP/1.0\r\n${websocket}X-Key: 1\r\n\r\n`);
    assert.deepEqual([old?.status, echo.taken, echo.discarded], [426, 0, 1]);
  },
);

const failing = () =>
  new Reply(
    101,
    "raw",
    new Upgrade("echo", {
      take: () => {
        throw new Error("take failed");
      },
      discard: () => {},
    }),
  );
testOnEngines(
  "an upgrade that throws closes the connection",
  () => [{ method: "GET", path: "/failing", handler: failing }],
  async ({ untilClosed, log }) => {
    assert.deepEqual(await untilClosed(request("/failing", websocket)), []);
    assert.deepEqual(log.messages("error"), ["GET /failing: the upgrade failed"]);
  },
);

testOnEngines(
  "a connection that is taken over during a stop is ended at once",
  ofEcho,
  async ({ connect, app }, echo) => {
    const release = echo.hold();
    const idle = connect().send(request("/elsewhere"));
    await idle.responses(1);
    const client = connect().send(request("/echo/ada", `${websocket}X-Key: 1\r\n`));
    await until(() => echo.seen.length > 0, "request");
    const stop = app.stop();
    await idle.untilClosed(); // the stop has begun
    release();
    await client.until(({ closed }) => closed, "end");
    await stop;
    assert.ok(client.text.endsWith("ada  bye"), client.text);
  },
);

testOnEngines("an upgrade for a client that has left is discarded", ofEcho, async ({ connect, app }, echo) => {
  const release = echo.hold();
  const client = connect().send(request("/echo/ada", `${websocket}X-Key: 1\r\n`));
  await until(() => echo.seen.length > 0, "request");
  client.socket.resetAndDestroy(); // a client that only ends its side may still read
  await until(async () => (await connectionsOf(app)) === 0, "closed connection");
  release();
  await until(() => echo.discarded > 0, "discarded upgrade");
  assert.equal(echo.taken, 0);
});

const flooded = new Echo();
testOnWire(
  "a client that sends too much before its upgrade is decided gets 426",
  flooded.routes,
  async ({ connect }) => {
    const release = flooded.hold();
    const client = connect().send(request("/echo/ada", `${websocket}X-Key: 1\r\n`));
    await until(() => flooded.seen.length > 0, "request");
    client.send(Buffer.alloc(4 * 1024 * 1024));
    await until(() => client.socket.writableLength === 0, "sent bytes");
    release();
    await client.until(({ text }) => text.startsWith("HTTP/1.1 426 "), "response");
    assert.deepEqual([flooded.taken, flooded.discarded], [0, 1]);
  },
);

let signals: { before?: AbortSignal; after?: AbortSignal; late?: AbortSignal } = {};
testOnEngines(
  "the signal of a request that was upgraded is aborted when its connection closes",
  () =>
    ["/before", "/after"].map((path) => ({
      method: "GET",
      path,
      handler: (ctx: Context) => {
        if (path === "/before") signals.before = ctx.signal;
        const take = (socket: Duplex) => {
          if (path === "/after") signals.after = ctx.signal;
          socket.write("HTTP/1.1 101 Switching Protocols\r\n\r\n");
          socket.on("end", () => socket.end()).on("close", () => releaseRequest(ctx, socket));
          socket.on("close", () => {
            signals.late = ctx.signal;
          });
          socket.resume();
          return () => socket.end();
        };
        return new Reply(101, "raw", new Upgrade("echo", { take, discard: () => {} }));
      },
    })),
  async ({ connect, app }) => {
    signals = {};
    for (const path of ["/before", "/after"]) {
      const client = connect().send(request(path, websocket));
      await client.until(({ text }) => text.endsWith("\r\n\r\n"), "upgrade");
    }
    assert.deepEqual([signals.before?.aborted, signals.after?.aborted], [false, false]);
    await app.stop();
    await until(() => Object.values(signals).filter(({ aborted }) => aborted).length === 3, "aborted signals");
  },
);

testOnEngines(
  "a connection of another protocol that does not end is closed when the stop times out",
  () => [
    {
      method: "GET",
      path: "/deaf",
      handler: () => {
        const take = (socket: Duplex) => {
          socket.write("HTTP/1.1 101 Switching Protocols\r\n\r\n");
          return () => {};
        };
        return new Reply(101, "raw", new Upgrade("echo", { take, discard: () => {} }));
      },
    },
  ],
  async ({ connect, app, log }) => {
    const client = connect().send(request("/deaf", websocket));
    await client.until(({ text }) => text.endsWith("\r\n\r\n"), "upgrade");
    await app.stop();
    await client.until(({ closed }) => closed, "end");
    assert.equal(log.all.find(({ msg }) => String(msg).startsWith("the stop timed out"))?.connections, 1);
  },
  { limits: { stopTimeout: 300 }, middlewares: [] }, // so that it has no headers of its own
);
