import assert from "node:assert/strict";
import { createHook } from "node:async_hooks";
import { once } from "node:events";
import type { Socket } from "node:net";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { type Context, dto, HttpError, inject, integer, type Routes, string } from "@tenon/core";
import { Channels, type Closing, LiveConnections, type LiveSocket, socket } from "@tenon/live";
import { WebSocket } from "ws";
import { until } from "../../../core/test/support/until.ts";
import { type LiveApp, withLiveApp } from "../support/live-app.ts";
import { SocketClient } from "../support/socket-client.ts";

const Say = dto("Say", { text: string("required", "max=100") });
const Said = dto("Said", { text: string("required"), by: string("required") });

const messages = { receives: { say: Say }, sends: { said: Said } };

class Chat {
  readonly channels = inject(Channels);
  readonly connections = inject(LiveConnections);
  readonly closings: Closing[] = [];
  readonly sockets: LiveSocket<typeof messages.sends>[] = [];
  readonly waits: (() => void)[] = [];

  routes(): Routes {
    return [
      { method: "GET", path: "/rooms/:room", handler: this.room, middlewares: [guard] },
      { method: "GET", path: "/picky/:number", handler: this.picky },
      { method: "GET", path: "/work", handler: this.work },
      { method: "GET", path: "/small", handler: this.small },
      { method: "GET", path: "/narrow", handler: this.narrow },
      { method: "GET", path: "/patient", handler: this.patient },
    ];
  }

  readonly room = socket(messages, {
    open: async (ctx: Context<"/rooms/:room">, live) => {
      ctx.response().setHeader("x-room", ctx.param("room"));
      await this.channels.subscribe(ctx.param("room"), live);
      this.sockets.push(live);
      live.send("said", { text: "welcome", by: "server" });
    },
    on: {
      say: (ctx, _, { text }) =>
        this.channels.publish(ctx.param("room"), "said", { text, by: String(ctx.get("user")), secret: "hidden" }),
    },
    close: (_ctx, _live, closing) => void this.closings.push(closing),
  });

  readonly picky = socket(
    { ...messages, params: dto({ number: integer("required") }), errors: { 404: "No such room" } },
    {
      open: (ctx, live, { params: { number } }) => {
        if (number === 404) return ctx.fail(404);
        if (number === 409) return ctx.status(409).json({ error: "Taken" });
        if (number === 500) throw new Error("broken");
        live.send("said", { text: "bye", by: "server" });
        live.close(4001, "go away");
        return undefined;
      },
      on: { say: () => {} },
    },
  );

  readonly work = socket(
    { receives: { say: Say, fail: dto({}), later: dto({}) }, sends: messages.sends },
    {
      on: {
        say: async (_, live, { text }) => {
          await new Promise<void>((resolve) => this.waits.push(resolve));
          live.send("said", { text, by: "worker" });
        },
        fail: () => {
          throw new Error("a bug");
        },
        // like a query builder: it runs when it is awaited
        later: (_, live) => ({
          // biome-ignore lint/suspicious/noThenProperty: a promise of a library
          then(resolve: () => void) {
            live.send("said", { text: "ran", by: "query" });
            resolve();
          },
        }),
      },
    },
  );

  readonly small = socket(
    { ...messages, limits: { messageBytes: 100, messagesPerSecond: 2, idle: 150 } },
    { on: { say: () => {} } },
  );

  readonly patient = socket(messages, {
    open: () => new Promise<void>((resolve) => this.waits.push(resolve)),
    on: { say: () => {} },
    close: (_ctx, _live, closing) => void this.closings.push(closing),
  });

  readonly narrow = socket(
    { ...messages, limits: { pendingBytes: 1000 } },
    { open: (_, live) => void this.sockets.push(live), on: { say: () => {} } },
  );
}

function guard(ctx: Context, next: () => unknown): unknown {
  if (ctx.header("x-user") === "") throw new HttpError(401, "Unauthorized");
  ctx.set("user", ctx.header("x-user"));
  return next();
}

const ada = { "x-user": "ada" };

test("messages pass between sockets, validated and without undeclared fields", async () => {
  await withLiveApp(Chat, async ({ app, url }) => {
    const client = new SocketClient(`${url}/rooms/one`, ada);
    const [response] = await once(client.socket, "upgrade");
    assert.deepEqual([response.statusCode, response.headers["x-room"]], [101, "one"]);
    assert.equal(response.headers["sec-websocket-extensions"], undefined);
    const other = await SocketClient.open(`${url}/rooms/one`, { "x-user": "bob" });
    const elsewhere = await SocketClient.open(`${url}/rooms/two`, ada);
    for (const one of [client, other, elsewhere])
      assert.deepEqual((await one.next()).data, { text: "welcome", by: "server" });
    client.send("say", { text: "hello" });
    for (const one of [client, other]) {
      const { event, data, id } = await one.next();
      assert.deepEqual([event, data], ["said", { text: "hello", by: "ada" }]);
      assert.match(id ?? "", /^\d+-1\.0\.[\w-]{16}$/);
    }
    elsewhere.send("say", { text: "only here" });
    assert.deepEqual((await elsewhere.next()).data, { text: "only here", by: "ada" });
    const chat = app.get(Chat);
    assert.equal(chat.channels.count("one"), 2);
    await Promise.all([client, other, elsewhere].map((one) => one.close()));
    assert.equal(chat.channels.count("one"), 0);
    assert.equal(chat.connections.stats().sockets, 0);
    assert.deepEqual(
      chat.closings.map(({ code }) => code),
      [1005, 1005, 1005],
    );
  });
});

test("a rejected upgrade is a normal response", async () => {
  await withLiveApp(
    Chat,
    async ({ app, url }) => {
      const plain = await fetch(`${url}/rooms/one`, { headers: ada });
      assert.deepEqual([plain.status, plain.headers.get("upgrade")], [426, "websocket"]);
      assert.deepEqual(await SocketClient.refused(`${url}/rooms/one`), {
        status: 401,
        body: '{"error":"Unauthorized"}',
      });
      const refusals = new Map([
        ["/picky/x", 400],
        ["/picky/404", 404],
        ["/picky/500", 500],
        ["/elsewhere", 404],
      ]);
      for (const [path, status] of refusals)
        assert.equal((await SocketClient.refused(`${url}${path}`)).status, status, path);
      const stranger = await SocketClient.refused(`${url}/rooms/one`, { ...ada, origin: "https://evil.example" });
      assert.deepEqual(stranger, { status: 403, body: '{"error":"Forbidden"}' });
      assert.deepEqual(app.get(LiveConnections).stats().sockets, 0);
      const own = await SocketClient.open(`${url}/rooms/one`, { ...ada, origin: url });
      const friend = await SocketClient.open(`${url}/rooms/one`, { ...ada, origin: "https://friend.example" });
      await Promise.all([own.close(), friend.close()]);
    },
    { options: { origins: ["https://friend.example"] } },
  );
});

test("what open() sends arrives after the upgrade, and it may close the socket", async () => {
  await withLiveApp(Chat, async ({ url }) => {
    const client = new SocketClient(`${url}/picky/1`);
    assert.deepEqual((await client.next()).data, { text: "bye", by: "server" });
    assert.deepEqual(await client.closed, { code: 4001, reason: "go away" });
  });
});

test("a message that is not as declared is rejected with a reason and counted", async () => {
  await withLiveApp(Chat, async ({ app, url }) => {
    const client = await SocketClient.open(`${url}/rooms/one`, ada);
    await client.next();
    client.socket.send("{");
    assert.deepEqual((await client.next()).data, { status: 400, error: "A message is JSON" });
    client.socket.send("[]");
    assert.deepEqual((await client.next()).data, {
      status: 400,
      error: 'A message is { "event": name, "data": value }',
    });
    client.send("shout", {});
    assert.deepEqual((await client.next()).data, { event: "shout", status: 404, error: "Unknown event" });
    client.send("say", { text: "" });
    const { event, data } = await client.next();
    assert.equal(event, "error");
    const { issues, ...rest } = data as { issues: { path: string }[] };
    assert.deepEqual(rest, { event: "say", status: 400, error: "Invalid request" });
    assert.deepEqual(
      issues.map(({ path }) => path),
      ["text"],
    );
    assert.equal(app.get(LiveConnections).stats().rejectedMessages, 4);
    client.send("say", { text: "still open" });
    assert.equal((await client.next()).event, "said");
    await client.close();
  });
});

test("messages of a socket are handled one after the other; an error of a handler reveals nothing", async () => {
  await withLiveApp(Chat, async ({ app, url }) => {
    const client = await SocketClient.open(`${url}/work`);
    client.send("say", { text: "1" }).send("say", { text: "2" }).send("fail", {}).send("say", { text: "3" });
    const { waits } = app.get(Chat);
    for (const text of ["1", "2"]) {
      await until(() => waits.length > 0, "message");
      assert.equal(waits.length, 1);
      waits.shift()?.();
      assert.deepEqual((await client.next()).data, { text, by: "worker" });
    }
    assert.deepEqual((await client.next()).data, { event: "fail", status: 500, error: "Internal Server Error" });
    await until(() => waits.length > 0, "message");
    await client.close();
    waits.shift()?.();
  });
});

test("what a handler returns is awaited, whatever library it is of", async () => {
  await withLiveApp(Chat, async ({ url }) => {
    const client = await SocketClient.open(`${url}/work`);
    assert.deepEqual((await client.send("later", {}).next()).data, { text: "ran", by: "query" });
    await client.close();
  });
});

test("limits: size, rate, binary messages and silence have their close codes", async () => {
  await withLiveApp(
    Chat,
    async ({ url }) => {
      const large = await SocketClient.open(`${url}/small`);
      large.send("say", { text: "x".repeat(200) });
      assert.equal((await large.closed).code, 1009);
      const fast = await SocketClient.open(`${url}/small`);
      for (let count = 0; count < 12; count++) fast.send("say", { text: "x" });
      assert.deepEqual(await fast.closed, { code: 1008, reason: "too many messages" });
      const binary = await SocketClient.open(`${url}/small`);
      binary.socket.send(Buffer.from("{}"));
      assert.equal((await binary.closed).code, 1003);
      const silent = await SocketClient.open(`${url}/small`);
      assert.deepEqual(await silent.closed, { code: 4408, reason: "no message for too long" });
    },
    { options: { heartbeat: 100 } },
  );
});

test("a client that does not read is disconnected with a reason", async () => {
  await withLiveApp(
    Chat,
    async ({ app, url }) => {
      const slow = await SocketClient.open(`${url}/narrow`);
      const [live] = app.get(Chat).sockets;
      slow.socket.pause();
      while (live?.isOpen) {
        live.send("said", { text: "x".repeat(900), by: "server" });
        await new Promise(setImmediate);
      }
      assert.equal(app.get(LiveConnections).stats().slowClients, 1);
      slow.socket.resume();
      assert.deepEqual(await slow.closed, { code: 1013, reason: "the client reads too slowly" });
    },
    { options: { idle: 0 } },
  );
});

test("a client that does not respond to pings is disconnected", async () => {
  await withLiveApp(
    Chat,
    async ({ url }) => {
      const deaf = new SocketClient(`${url}/rooms/one`, ada, { autoPong: false });
      assert.equal((await deaf.closed).code, 1006);
    },
    { options: { heartbeat: 60 } },
  );
});

test("a stop closes sockets with 1001", async () => {
  await withLiveApp(Chat, async ({ app, url }) => {
    const clients = await Promise.all([1, 2, 3].map(() => SocketClient.open(`${url}/rooms/one`, ada)));
    const stop = app.stop();
    for (const client of clients) {
      assert.deepEqual(await client.closed, { code: 1001, reason: "the server is stopping" });
    }
    await stop;
  });
});

test("close() is called for a client that leaves while open() runs, and not after a rejection", async () => {
  await withLiveApp(Chat, async ({ app, url }) => {
    const { waits, closings, connections } = app.get(Chat);
    const client = new SocketClient(`${url}/patient`);
    await until(() => waits.length > 0, "open()");
    client.socket.terminate();
    await client.closed;
    waits.shift()?.();
    await until(() => closings.length > 0, "close()");
    assert.deepEqual(closings, [{ code: 1006, reason: "" }]);
    await SocketClient.refused(`${url}/picky/404`);
    assert.deepEqual([closings.length, connections.stats().sockets], [1, 0]);
  });
});

test("a socket that reconnects gets what it has missed", async () => {
  await withLiveApp(Chat, async ({ app, url }) => {
    const { channels } = app.get(Chat);
    const first = await SocketClient.open(`${url}/rooms/one`, ada);
    await first.next();
    first.send("say", { text: "1" });
    const { id } = await first.next();
    await first.close();
    for (const text of ["2", "3"]) await channels.publish("one", "said", { text, by: "ada" });
    const second = await SocketClient.open(`${url}/rooms/one?lastEventId=${id}`, ada);
    const texts = [await second.next(), await second.next()].map(({ data }) => (data as { text: string }).text);
    assert.deepEqual(texts, ["2", "3"]);
    await second.close();
    const late = new SocketClient(`${url}/rooms/one?lastEventId=1-1`, ada);
    assert.deepEqual(await late.next().then(({ event, data }) => [event, data]), ["reset", { topic: "one" }]);
    await late.close();
  });
});

test("a stop does not wait for a slow client to read its close frame", async () => {
  const lines: string[] = [];
  const log = { level: "warn", destination: { write: (line: string) => void lines.push(line) } } as const;
  const check = async ({ app, url }: LiveApp) => {
    const slow = await SocketClient.open(`${url}/narrow`);
    const [live] = app.get(Chat).sockets;
    slow.socket.pause();
    while (live?.isOpen) {
      live.send("said", { text: "x".repeat(900), by: "server" });
      await new Promise(setImmediate);
    }
    await app.stop();
    assert.deepEqual(lines, [], "the stop has not timed out");
    slow.socket.resume();
    assert.equal((await slow.closed).code, 1006);
  };
  await withLiveApp(Chat, check, { log });
});

test("the WebSocket of the platform connects too, and a socket needs a real connection", async () => {
  await withLiveApp(Chat, async ({ app, url }) => {
    const client = new globalThis.WebSocket(`${url.replace("http", "ws")}/work`);
    await new Promise((resolve) => client.addEventListener("open", resolve));
    client.send(JSON.stringify({ event: "fail", data: {} }));
    const { data } = await new Promise<MessageEvent>((resolve) => client.addEventListener("message", resolve));
    assert.equal(JSON.parse(String(data)).event, "error");
    client.close();
    const key = "dGhlIHNhbXBsZSBub25jZQ==";
    const headers = {
      upgrade: "websocket",
      connection: "upgrade",
      "sec-websocket-version": "13",
      "sec-websocket-key": key,
    };
    const response = await app.request("GET", "/work", { headers });
    assert.deepEqual([response.status, app.get(LiveConnections).stats().sockets <= 1], [426, true]);
    for (const wrong of [{ "sec-websocket-version": "8" }, { "sec-websocket-key": "short" }]) {
      const refused = await app.request("GET", "/work", { headers: { ...headers, ...wrong } });
      assert.ok([400, 426].includes(refused.status));
    }
  });
});

interface WsInternals {
  readonly _extensions: { readonly "permessage-deflate": { readonly params: Readonly<Record<string, unknown>> } };
  readonly _socket: Socket;
}

test("a socket with compression compresses long messages, and keeps no context for the next one", async () => {
  class Compressed {
    routes(): Routes {
      return [{ method: "GET", path: "/", handler: this.open }];
    }
    readonly open = socket(
      { ...messages, compression: true },
      { on: { say: (_, live, { text }) => live.send("said", { text: text.repeat(text.length), by: "x" }) } },
    );
  }
  await withLiveApp(Compressed, async ({ url }) => {
    const client = new WebSocket(url.replace("http", "ws"));
    await once(client, "open");
    assert.match(client.extensions, /permessage-deflate/);
    const { _extensions: extensions, _socket: raw } = client as unknown as WsInternals; // `ws` shows only the messages
    const { params } = extensions["permessage-deflate"];
    assert.deepEqual([params.server_no_context_takeover, params.client_no_context_takeover], [true, true]);
    const firstBytes: (number | undefined)[] = [];
    raw.prependListener("data", (chunk: Buffer) => firstBytes.push(chunk[0]));
    for (const text of ["hello", "x".repeat(100)]) {
      client.send(JSON.stringify({ event: "say", data: { text } }));
      const [data] = await once(client, "message");
      assert.equal(JSON.parse(String(data)).data.text, text.repeat(text.length));
    }
    assert.deepEqual(firstBytes, [0x81, 0xc1], "the flag RSV1 says which one is compressed");
    client.close();
    await once(client, "close");
  });
});

test("a client whose pong waits while the process is blocked stays connected", async () => {
  await withLiveApp(
    Chat,
    async ({ url }) => {
      const client = await SocketClient.open(`${url}/work`);
      await once(client.socket, "ping"); // the pong is on its way
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 250);
      assert.equal(
        await Promise.race([once(client.socket, "ping").then(() => "pinged again"), client.closed]),
        "pinged again",
      );
      await client.close();
    },
    { options: { heartbeat: 60 } },
  );
});

test("a socket with compression keeps no memory of zlib while it is idle, and compresses again after it", async () => {
  class Compressed {
    routes(): Routes {
      return [{ method: "GET", path: "/", handler: this.open }];
    }
    readonly open = socket(
      { ...messages, compression: true },
      { on: { say: (_, live, { text }) => live.send("said", { text: text.repeat(text.length), by: "x" }) } },
    );
  }
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void; // with the flag
  /** The handles of zlib; that of the client stays. */
  const open = new Set<number>();
  const hook = createHook({
    init: (id, type) => void (type === "ZLIB" && open.add(id)),
    destroy: (id) => void open.delete(id),
  }).enable();
  await withLiveApp(
    Compressed,
    async ({ url }) => {
      const client = await SocketClient.open(url);
      for (let round = 0; round < 3; round++) {
        client.send("say", { text: "x".repeat(100) });
        assert.deepEqual((await client.next()).data, { text: "x".repeat(10_000), by: "x" });
        while (open.size > 1) {
          await once(client.socket, "ping"); // the heartbeat has freed it; blocked all the time, none would come
          collectGarbage(); // a handle is destroyed with its object
          await new Promise(setImmediate);
        }
      }
      await client.close();
    },
    { options: { heartbeat: 400 } },
  );
  hook.disable();
});
