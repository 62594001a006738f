import assert from "node:assert/strict";
import { once } from "node:events";
import type { Socket } from "node:net";
import { describe, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { ChildServer } from "../support/child-server.ts";
import type { RawClient, WireReply } from "../support/wire.ts";

const host = "Host: localhost\r\n";
const get = (path: string) => `GET ${path} HTTP/1.1\r\n${host}\r\n`;
const post = (length: number) => `POST /body HTTP/1.1\r\n${host}Content-Length: ${length}\r\n\r\n`;
const summary = (replies: readonly WireReply[]) =>
  replies.map((reply) => [reply.status, reply.headers.get("connection"), reply.body, reply.complete]);
const run = (limits: object, body: (server: ChildServer) => Promise<void>) =>
  ChildServer.run("stoppable.ts", [JSON.stringify(limits)], body);

/** Everything that was written has left for the other side. */
async function flushed(socket: Socket): Promise<void> {
  if (socket.connecting) await once(socket, "connect");
  await new Promise((resolve) => socket.write("", resolve));
}

async function refusesConnections(server: ChildServer): Promise<void> {
  for (;;) {
    const client = server.connect();
    await new Promise((resolve) => client.socket.once("connect", resolve).once("close", resolve));
    if (client.reset) return; // refused; one that came in time is accepted and then closed
    client.socket.destroy();
  }
}

// all at once: each of them is a process that takes its time to load
describe("a signal", { concurrency: true }, () => {
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    test(`${signal}: what was sent is answered, all else is closed, then onStop runs and the process ends with 0`, () =>
      run({}, async (server) => {
        const idle = [server.connect(), server.connect().send(get("/fast"))];
        await idle[1]?.replies(1);
        const slow = [server.connect().send(get("/slow")), server.connect().send(get("/slow"))];
        const pipelined = server.connect().send(get("/slow") + get("/fast") + get("/fast"));
        const stream = server.connect().send(get("/stream"));
        const events = server.connect().send(get("/events"));
        const halfHead = server.connect().send("GET /fast HTTP/1.1\r\nHo");
        const halfBody = server.connect().send(`${post(10)}hello`);
        const halfSecond = server.connect().send(`${get("/fast")}GET /fa`);
        await Promise.all([
          server.says("slow", 3),
          server.says("streaming"),
          events.until(({ text }) => text.includes("data: 1"), "event"),
          halfSecond.replies(1),
        ]);
        server.signal(signal);

        const closedAtOnce = await Promise.all([...idle, halfHead, halfSecond].map((client) => client.untilClosed()));
        assert.deepEqual(
          closedAtOnce.map((replies) => replies.length),
          [0, 1, 0, 1],
        );
        assert.deepEqual(server.words.toSorted(), ["slow", "slow", "slow", "streaming"], "nothing has stopped yet");
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
          (await halfBody.untilClosed()).map((reply) => [reply.status, reply.headers.get("connection")]),
          [[503, "close"]],
        );
        assert.equal(await server.exit(), 0);
        assert.equal(server.words.at(-1), "stopped");
      }));
  }

  test("requests that were sent before the signal are answered, on a kept connection and on new ones", () =>
    run({}, async (server) => {
      const kept = server.connect().send(get("/fast"));
      await kept.replies(1);
      const blocking = server.connect().send(get("/block"));
      await server.says("blocking"); // from here the process reads and accepts nothing until it is too late
      const fresh = Array.from({ length: 30 }, () => server.connect().send(get("/fast")));
      kept.send(get("/fast"));
      await Promise.all(fresh.map(({ socket }) => flushed(socket)));
      server.signal("SIGTERM");
      const bodies = async (client: RawClient) => (await client.untilClosed()).map((reply) => reply.body);
      assert.deepEqual(await bodies(kept), ['"fast"', '"fast"']);
      assert.deepEqual(await bodies(blocking), ['"blocked"']);
      for (const client of fresh) assert.deepEqual(await bodies(client), ['"fast"']);
      assert.equal(await server.exit(), 0);
    }));

  test("a body that still arrives is waited for", () =>
    run({}, async (server) => {
      const client = server.connect().send(post(100));
      server.connect().send(get("/slow"));
      await server.says("slow");
      server.signal("SIGTERM");
      for (let sent = 0; sent < 100; sent++) {
        client.send("a");
        await wait(10);
      }
      assert.deepEqual(summary(await client.untilClosed()), [[200, "close", "100", true]]);
      server.signal("SIGUSR2");
      assert.equal(await server.exit(), 0);
    }));

  test("what takes too long is cut off at the deadline, and onStop still runs", () =>
    run({ stopTimeout: 100 }, async (server) => {
      const client = server.connect().send(get("/hang"));
      await server.says("hanging");
      server.signal("SIGTERM");
      assert.deepEqual(await client.untilClosed(), []);
      assert.equal(await server.exit(), 0);
      assert.deepEqual(server.words, ["hanging", "stopped"]);
    }));

  for (const [first, second, code] of [
    ["SIGTERM", "SIGTERM", 143],
    ["SIGTERM", "SIGINT", 130],
  ] as const) {
    test(`${second} after ${first} ends the process at once with ${code}`, () =>
      run({}, async (server) => {
        const hanging = server.connect().send(get("/hang"));
        const idle = server.connect().send(get("/fast"));
        await Promise.all([server.says("hanging"), idle.replies(1)]);
        server.signal(first);
        await idle.untilClosed(); // the stop has begun
        server.signal(second);
        assert.equal(await server.exit(), code);
        assert.deepEqual(await hanging.untilClosed(), []);
        assert.deepEqual(server.words, ["hanging"]);
      }));
  }

  test("clients in full swing get a last answer with Connection: close", () =>
    run({}, async (server) => {
      const clients = Array.from({ length: 20 }, () => server.connect());
      const lastWords = clients.map(async (client) => {
        for (let count = 1; ; count++) {
          client.send(get("/fast"));
          await client.until(({ closed, text }) => closed || text.split("HTTP/1.1 200").length > count, "reply or end");
          if (client.closed || client.text.includes("close\r\n")) return (await client.untilClosed()).at(-1);
        }
      });
      await Promise.all(clients.map((client) => client.replies(5)));
      server.signal("SIGTERM");
      const told = (await Promise.all(lastWords)).filter((reply) => reply?.headers.get("connection") === "close");
      // a machine that is too busy to send within the grace gets its connection closed; all of them at once never are
      assert.ok(told.length > 0, "nobody was told");
      assert.ok(told.every((reply) => reply?.body === '"fast"'));
      assert.equal(await server.exit(), 0);
    }));
});

test("a steady stream of new connections does not keep the listener open during a stop", () =>
  run({}, async (server) => {
    const clients = 20;
    const most = 2000;
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
