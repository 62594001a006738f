import assert from "node:assert/strict";
import { once } from "node:events";
import type { Socket } from "node:net";
import { describe, mock, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import type { Context, Routes } from "@tenon/core";
import { acceptedSocket } from "../support/accepted-socket.ts";
import { ChildServer } from "../support/child-server.ts";
import { until } from "../support/until.ts";
import { type RawClient, testOnWire, type WireResponse } from "../support/wire.ts";

const host = "Host: localhost\r\n";
const get = (path: string) => `GET ${path} HTTP/1.1\r\n${host}\r\n`;
const post = (length: number) => `POST /body HTTP/1.1\r\n${host}Content-Length: ${length}\r\n\r\n`;
const summary = (responses: readonly WireResponse[]) =>
  responses.map((response) => [response.status, response.headers.get("connection"), response.body, response.complete]);
const run = (limits: object, body: (server: ChildServer) => Promise<void>) =>
  ChildServer.run("stoppable.ts", [JSON.stringify(limits)], body);

/** Resolves when the system has all written bytes. */
async function flushed(socket: Socket): Promise<void> {
  if (socket.connecting) await once(socket, "connect");
  await new Promise((resolve) => socket.write("", resolve));
}

async function refusesConnections(server: ChildServer): Promise<void> {
  await until(async () => {
    const client = server.connect();
    await new Promise((resolve) => client.socket.once("connect", resolve).once("close", resolve));
    client.socket.destroy();
    return client.reset; // refused; a connection made in time is accepted and then closed
  }, "refused connection");
}

// concurrent, because each test loads a process of its own
describe("graceful stop", { concurrency: true }, () => {
  for (const [path, message, text] of [
    ["/throw", "thrown in a timer", "uncaught exception: stopping"],
    ["/reject", "rejected", "unhandled rejection: stopping"],
  ] as const) {
    test(`an error that nothing catches (${path}) is logged once, running requests end, and the process exits with 1`, () =>
      run({}, async (server) => {
        const slow = Array.from({ length: 20 }, () => server.connect().send(get("/slow")));
        await server.waitFor("slow", 20);
        await server.connect().send(get(path)).responses(1);
        await server.waitFor(text);
        server.signal("SIGUSR2");
        const responses = await Promise.all(slow.map((client) => client.untilClosed()));
        assert.deepEqual(
          responses.map(summary),
          slow.map(() => [[200, "close", '"slow"', true]]),
        );
        assert.equal(await server.exit(), 1);
        const logged = server.lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line));
        assert.deepEqual(
          logged.map(({ level, msg, err }) => [level, msg, err.message]),
          [["fatal", text, message]],
        );
        assert.equal(server.lines.at(-1), "stopped");
      }));
  }

  test("an error that nothing catches ends the process while a request hangs, also during a stop", () =>
    run({}, async (server) => {
      server.connect().send(get("/hang"));
      const late = server.connect().send(get("/slow"));
      await server.waitFor("hanging");
      await server.waitFor("slow");
      server.signal("SIGTERM");
      await server.waitFor("signalled");
      await refusesConnections(server);
      late.send(get("/throw"));
      server.signal("SIGUSR2");
      await server.waitFor("thrown in a timer");
      assert.equal(await server.exit(), 1);
    }));

  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    test(`${signal} finishes sent requests, closes all other connections, runs onStop and exits with 0`, () =>
      run({}, async (server) => {
        const idle = [server.connect(), server.connect().send(get("/fast"))];
        await idle[1]?.responses(1);
        const slow = [server.connect().send(get("/slow")), server.connect().send(get("/slow"))];
        const pipelined = server.connect().send(get("/slow") + get("/fast") + get("/fast"));
        const stream = server.connect().send(get("/stream"));
        const events = server.connect().send(get("/events"));
        const halfHead = server.connect().send("GET /fast HTTP/1.1\r\nHo");
        const halfBody = server.connect().send(`${post(10)}hello`);
        const halfSecond = server.connect().send(`${get("/fast")}GET /fa`);
        await Promise.all([
          server.waitFor("slow", 3),
          server.waitFor("streaming"),
          events.until(({ text }) => text.includes("data: 1"), "event"),
          halfSecond.responses(1),
        ]);
        server.signal(signal);

        const closedAtOnce = await Promise.all([...idle, halfHead, halfSecond].map((client) => client.untilClosed()));
        assert.deepEqual(
          closedAtOnce.map((responses) => responses.length),
          [0, 1, 0, 1],
        );
        assert.deepEqual(server.lines.toSorted(), ["slow", "slow", "slow", "streaming"], "nothing has stopped yet");
        await refusesConnections(server);
        server.signal("SIGUSR2");
        for (const client of slow) {
          assert.deepEqual(summary(await client.untilClosed()), [[200, "close", '"slow"', true]]);
        }
        assert.deepEqual(summary(await pipelined.untilClosed()), [
          [200, "keep-alive", '"slow"', true],
          [200, "keep-alive", '"fast"', true],
          [200, "close", '"fast"', true],
        ]);
        assert.deepEqual(summary(await stream.untilClosed()), [[200, "keep-alive", "first last", true]]);
        assert.deepEqual(summary(await events.untilClosed()), [[200, "keep-alive", "data: 1\n\n", true]]);
        assert.deepEqual(
          (await halfBody.untilClosed()).map((response) => [response.status, response.headers.get("connection")]),
          [[503, "close"]],
        );
        assert.equal(await server.exit(), 0);
        assert.equal(server.lines.at(-1), "stopped");
      }));
  }

  test("requests sent before the signal get responses, on a kept connection and on new ones", () =>
    run({}, async (server) => {
      const kept = server.connect().send(get("/fast"));
      await kept.responses(1);
      const blocking = server.connect().send(get("/block"));
      await server.waitFor("blocking"); // from here the process neither reads nor accepts until after the signal
      const fresh = Array.from({ length: 30 }, () => server.connect().send(get("/fast")));
      kept.send(get("/fast"));
      await Promise.all(fresh.map(({ socket }) => flushed(socket)));
      server.signal("SIGTERM");
      const bodies = async (client: RawClient) => (await client.untilClosed()).map((response) => response.body);
      assert.deepEqual(await bodies(kept), ['"fast"', '"fast"']);
      assert.deepEqual(await bodies(blocking), ['"blocked"']);
      for (const client of fresh) assert.deepEqual(await bodies(client), ['"fast"']);
      assert.equal(await server.exit(), 0);
    }));

  test("a request that takes too long is cut off at the deadline, and onStop still runs", () =>
    run({ stopTimeout: 100 }, async (server) => {
      const client = server.connect().send(get("/hang"));
      await server.waitFor("hanging");
      server.signal("SIGTERM");
      assert.deepEqual(await client.untilClosed(), []);
      assert.equal(await server.exit(), 0);
      assert.deepEqual(server.lines, ["hanging", "stopped"]);
    }));

  for (const [first, second, code] of [
    ["SIGTERM", "SIGTERM", 143],
    ["SIGTERM", "SIGINT", 130],
  ] as const) {
    test(`${second} after ${first} exits at once with ${code}`, () =>
      run({}, async (server) => {
        const hanging = server.connect().send(get("/hang"));
        const idle = server.connect().send(get("/fast"));
        await Promise.all([server.waitFor("hanging"), idle.responses(1)]);
        server.signal(first);
        await idle.untilClosed(); // the stop has begun
        server.signal(second);
        assert.equal(await server.exit(), code);
        assert.deepEqual(await hanging.untilClosed(), []);
        assert.deepEqual(server.lines, ["hanging"]);
      }));
  }
});

test("a steady stream of new connections does not keep the listener open during a stop", () =>
  run({}, async (server) => {
    const clients = 20;
    const most = 2000;
    let opened = 0;
    let responses = 0;
    let isRefused = false;
    /** Sends requests, each on a new connection, until one is refused. */
    const keepSending = async () => {
      while (!isRefused && opened++ < most) {
        const client = server.connect().send("GET /busy HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        const [response] = await client.untilClosed();
        if (response?.body === '"blocked"') responses++;
        else isRefused = true;
      }
    };
    const senders = Array.from({ length: clients }, keepSending);
    await server.waitFor("blocking", 3 * clients);
    const before = responses;
    server.signal("SIGTERM");
    await Promise.all(senders);
    assert.equal(await server.exit(), 0);
    assert.ok(isRefused);
    const after = responses - before;
    assert.ok(after < 10 * clients, `${after} requests were served on connections that came after the signal`);
  }));

const stoppable: Routes = [
  { method: "GET", path: "/fast", handler: () => "fast" },
  { method: "POST", path: "/body", handler: async (ctx: Context) => (await ctx.request().body()).length },
  {
    method: "GET",
    path: "/events",
    handler: (ctx: Context) => {
      ctx.response().setHeader("content-type", "text/event-stream");
      return new ReadableStream(); // silent
    },
  },
];

testOnWire("a body that is still arriving is waited for", stoppable, async ({ connect, app }) => {
  const kept = connect().send(get("/fast"));
  await kept.responses(1);
  const accepted = acceptedSocket();
  const client = connect().send(post(5));
  const socket = await accepted;
  await until(() => socket.bytesRead === post(5).length, "head");
  mock.timers.enable({ apis: ["setInterval"] });
  try {
    const stop = app.stop();
    await kept.untilClosed(); // from here the server looks every 400 ms
    for (let sent = 1; sent <= 5; sent++) {
      client.send("a");
      await until(() => socket.bytesRead === post(5).length + sent, "byte");
      mock.timers.tick(400);
      await turn();
    }
    assert.deepEqual(summary(await client.untilClosed()), [[200, "close", "5", true]]);
    await stop;
  } finally {
    mock.timers.reset();
  }
});

testOnWire(
  "a client that goes on after the stop has begun gets a last response",
  stoppable,
  async ({ connect, app }) => {
    const events = connect().send(get("/events"));
    await events.until(({ text }) => text.includes("\r\n\r\n"), "head");
    const client = connect().send(get("/fast"));
    await client.responses(1);
    const stop = app.stop();
    await events.until(({ text }) => text.endsWith("0\r\n\r\n"), "end of the events");
    client.send(get("/fast"));
    assert.deepEqual(summary(await client.untilClosed()), [
      [200, "keep-alive", '"fast"', true],
      [200, "close", '"fast"', true],
    ]);
    await stop;
  },
);
