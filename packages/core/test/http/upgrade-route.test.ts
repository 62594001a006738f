import assert from "node:assert/strict";
import { type Context, HttpError, Reply, type Routes } from "@tenon/core";
import { Upgrade } from "@tenon/core/platform";
import { request } from "../support/gate.ts";
import { testOnBothTransports } from "../support/transports.ts";
import { testOnWire } from "../support/wire.ts";

const websocket = "Connection: Upgrade\r\nUpgrade: websocket\r\n";

/** Sends back what it gets, after a head with the headers that it was given. */
class Echo {
  taken = 0;
  discarded = 0;
  readonly seen: string[] = [];

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
    await Promise.resolve();
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

const echo = new Echo();
testOnWire(
  "a route takes over the connection after its middlewares, with their headers and the bytes that came early",
  echo.routes,
  async ({ connect, log, app }) => {
    const client = connect().send(`${request("/echo/ada", `${websocket}X-Key: 1\r\n`)}first `);
    await client.until(({ text }) => text.endsWith("\r\n\r\nada first "), "early bytes");
    assert.match(client.text, /^HTTP\/1\.1 101 [\s\S]*x-guard: passed\r\n/);
    client.send("second");
    await client.until(({ text }) => text.endsWith("second"), "later bytes");
    const [line] = log.all.filter(({ msg }) => msg === "request");
    assert.deepEqual([line?.status, line?.path], [101, "/echo/ada"]);
    const stop = app.stop();
    await client.until(({ closed }) => closed, "end");
    await stop;
    assert.ok(client.text.endsWith("second bye"));
    assert.deepEqual([echo.taken, echo.discarded], [1, 0]);
  },
);

const guarded = new Echo();
testOnWire(
  "an upgrade that a guard rejects, and one without a route, are normal responses",
  guarded.routes,
  async ({ untilClosed }) => {
    const [rejected] = await untilClosed(request("/echo/ada", websocket));
    assert.deepEqual([rejected?.status, rejected?.body], [401, '{"error":"Unauthorized"}']);
    assert.equal(rejected?.headers.get("connection"), "close");
    const [missing] = await untilClosed(request("/elsewhere", websocket));
    assert.deepEqual([missing?.status, missing?.body], [404, '{"error":"Not Found"}']);
    const [malformed] = await untilClosed(request("/echo/ada", `${websocket}Host: other\r\n`));
    assert.equal(malformed?.status, 400);
    assert.deepEqual([guarded.taken, guarded.seen], [0, ["ada"]]);
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
