import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { after, test } from "node:test";
import {
  defaultLimits,
  type Incoming,
  type Outgoing,
  type ServerOptions,
  toSingleHeaders,
  WireServer,
} from "@tenon/server";
import { handleFetch } from "@tenon/server/fetch";
import { NodeServer } from "@tenon/server/node";

// One suite for the port between a server and its handler: each transport must pass it.

type Handle = (incoming: Incoming) => Partial<Outgoing> | Promise<Partial<Outgoing>>;
type Send = (path: string, init?: RequestInit & { duplex?: "half" }) => Promise<Response>;

const routes = new Map<string, Handle>();
const started = new EventEmitter();
let discarded = 0;
const logged: string[] = [];
const report = (_: object, message: string) => void logged.push(message);

const options: ServerOptions = {
  handler: {
    async handle(incoming) {
      const plain: Outgoing = { status: 200, body: null, type: "", closes: false, extraHeaders: () => undefined };
      try {
        return { ...plain, ...(await routes.get(incoming.path)?.(incoming)) };
      } catch (error) {
        return { ...plain, status: Object(error).status ?? 500 };
      }
    },
  },
  limits: { ...defaultLimits, body: 1000 },
  trustedProxies: [],
  singleHeaders: toSingleHeaders(),
  toRefusal: (status, reason) => ({ type: "text/plain", body: `${status} ${reason}` }),
  toBodyError: (status) => Object.assign(new Error("body"), { status }),
  log: { info() {}, warn: report, error: report },
};

const wire = new WireServer(options);
const node = new NodeServer(options);
const transports: Record<string, Promise<Send>> = {
  wire: listen(wire),
  node: listen(node),
  fetch: Promise.resolve((path, init) => handleFetch(options, new Request(`http://localhost${path}`, init))),
};
after(() => Promise.all([wire.close(), node.close()]));

async function listen(server: WireServer | NodeServer): Promise<Send> {
  const { port } = await server.listen(0, "127.0.0.1");
  return (path, init) => fetch(`http://127.0.0.1:${port}${path}`, init);
}

function testOnAll(name: string, handle: Handle, body: (send: Send, path: string) => Promise<void>): void {
  for (const [transport, opened] of Object.entries(transports)) {
    const path = `/${routes.size}/${transport}`;
    routes.set(path, handle);
    test(`${transport}: ${name}`, async () => body(await opened, path));
  }
}

/** A body that is sent in chunks. */
const inChunks = (...texts: string[]) => ({
  method: "POST",
  duplex: "half" as const,
  body: ReadableStream.from(texts.map((text) => new TextEncoder().encode(text))),
});

testOnAll(
  "path, query and headers are as they were sent",
  (incoming) => ({
    body: JSON.stringify([incoming.search, incoming.method, incoming.header("x-a"), incoming.headers()["x-a"]]),
  }),
  async (send, path) => {
    const headers = new Headers([
      ["x-a", "1"],
      ["x-a", "2"],
    ]);
    const response = await send(`${path}?a=%41&a=2`, { method: "DELETE", headers });
    assert.deepEqual(await response.json(), ["a=%41&a=2", "DELETE", "1, 2", "1, 2"]);
  },
);

testOnAll(
  "a body is read whole, with a length and in chunks",
  async (incoming) => ({ body: await incoming.readBody(10, 30_000) }),
  async (send, path) => {
    assert.equal(await (await send(path, { method: "POST", body: "0123456789" })).text(), "0123456789");
    assert.equal(await (await send(path, inChunks("01234", "5678", "9"))).text(), "0123456789");
    assert.equal(await (await send(path)).text(), "");
  },
);

testOnAll(
  "a body over its limit is 413, however it is sent",
  async (incoming) => ({ body: await incoming.readBody(10, 30_000) }),
  async (send, path) => {
    assert.equal((await send(path, { method: "POST", body: "x".repeat(11) })).status, 413);
    assert.equal((await send(path, inChunks("01234", "567890"))).status, 413);
  },
);

testOnAll(
  "a response may be made of the body while that arrives",
  (incoming) => ({ body: incoming.streamBody?.(100, 30_000) ?? null }),
  async (send, path) => {
    const later = Promise.withResolvers<void>();
    const encoder = new TextEncoder();
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        controller.enqueue(encoder.encode("one "));
        await later.promise;
        controller.enqueue(encoder.encode("two"));
        controller.close();
      },
    });
    const response = await send(path, { method: "POST", duplex: "half", body });
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    assert.equal(Buffer.from((await reader.read()).value ?? []).toString(), "one ");
    later.resolve();
    assert.equal(Buffer.from((await reader.read()).value ?? []).toString(), "two");
  },
);

const cookies = [
  ["set-cookie", ["a=1", "b=2"]] as const,
  ["transfer-encoding", "gzip"] as const,
  ["x-a", "1"] as const,
];
testOnAll(
  "a text is sent with its length, its type and its headers, and HEAD without it",
  () => ({ status: 201, body: "grüß", type: "text/plain", extraHeaders: () => cookies }),
  async (send, path) => {
    for (const method of ["GET", "HEAD"]) {
      const { status, headers } = await send(path, { method });
      assert.deepEqual(
        [
          status,
          headers.get("content-length"),
          headers.get("content-type"),
          headers.getSetCookie(),
          headers.get("x-a"),
        ],
        [201, "6", "text/plain", ["a=1", "b=2"], "1"],
        method,
      );
      assert.equal(headers.get("transfer-encoding"), null);
    }
    assert.equal(await (await send(path)).text(), "grüß");
    assert.equal(await (await send(path, { method: "HEAD" })).text(), "");
  },
);

testOnAll(
  "204, 205 and 304 have no body",
  ({ search }) => ({ status: Number(search), body: "text", type: "text/plain" }),
  async (send, path) => {
    for (const status of [204, 205, 304]) {
      const response = await send(`${path}?${status}`);
      assert.deepEqual([response.status, await response.text()], [status, ""]);
    }
  },
);

testOnAll(
  "a stream that fails cuts the response",
  () => ({
    body: (async function* () {
      yield "one";
      throw new Error("broken");
    })(),
  }),
  async (send, path) => {
    await assert.rejects(send(path).then((response) => response.text()));
  },
);

testOnAll(
  "a client that leaves aborts the signal",
  async ({ signal }) => {
    started.emit("start");
    await once(signal, "abort");
    started.emit("abort");
    return {};
  },
  async (send, path) => {
    const abort = new AbortController();
    const events = Promise.all([once(started, "start").then(() => abort.abort()), once(started, "abort")]);
    send(path, { signal: abort.signal }).catch(() => {});
    await events;
  },
);

testOnAll(
  "what is refused looks as toRefusal says",
  () => assert.fail("the handler was called"),
  async (send, path) => {
    const response = await send(path, { method: "POST", body: "{}", headers: { "content-encoding": "gzip" } });
    assert.deepEqual([response.status, await response.text()], [415, "415 Content-Encoding"]);
  },
);

testOnAll(
  "a response that cannot be written is a 500 and a line in the log",
  () => ({
    body: {
      [Symbol.asyncIterator]() {
        throw new Error("in use");
      },
    },
  }),
  async (send, path) => {
    logged.length = 0;
    assert.equal((await send(path)).status, 500);
    assert.deepEqual(logged, [`GET ${path}: the response could not be written`]);
  },
);

testOnAll(
  "an upgrade is discarded where no client has asked for it",
  () => {
    const upgrade = {
      protocol: "echo",
      take: () => assert.fail("the socket was taken over"),
      discard: () => discarded++,
    };
    return { status: 101, body: upgrade };
  },
  async (send, path) => {
    const before = discarded;
    const response = await send(path);
    assert.deepEqual([response.status, response.headers.get("upgrade"), discarded - before], [426, "echo", 1]);
  },
);
