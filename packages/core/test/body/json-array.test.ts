import assert from "node:assert/strict";
import { test } from "node:test";
import { type Context, endpoint, jsonArray, type Routes, type Schema } from "@tenon/core";
import { cli } from "@tenon/core/cli";
import { createTestApp } from "@tenon/core/testing";
import { z } from "zod";
import { moduleOf, testOnBothTransports } from "../support/transports.ts";
import { testOnWire } from "../support/wire.ts";

/** Rows that are counted while they are read. */
class Rows {
  read = 0;
  readonly stopped: Promise<void>;
  readonly #stopped = Promise.withResolvers<void>();

  constructor() {
    this.stopped = this.#stopped.promise;
  }

  async *up(to: number, row: (index: number) => unknown = (index) => ({ index })): AsyncGenerator<unknown> {
    try {
      while (this.read < to) yield row(this.read++);
    } finally {
      this.#stopped.resolve();
    }
  }
}

const failAt = (at: number) => (index: number) => {
  if (index === at) throw new Error("row failed");
  return "x".repeat(40_000);
};
const get = (path: string, handler: (ctx: Context) => unknown): Routes[number] => ({ method: "GET", path, handler });

testOnBothTransports(
  "jsonArray() sends rows as one JSON array, a short one with its length",
  [
    get("/none", () => jsonArray(new Rows().up(0))),
    get("/one", () => jsonArray(new Rows().up(1, () => null))),
    get("/some", () => jsonArray(new Rows().up(3, (index) => [index, "ü"]))),
    get("/created", (ctx) => ctx.status(201).json(jsonArray(new Rows().up(1)))),
    get("/typed", (ctx) => {
      ctx.response().setHeader("content-type", "application/feed+json");
      return jsonArray(new Rows().up(1));
    }),
  ],
  async (call) => {
    const got: Record<string, unknown> = {};
    for (const path of ["/none", "/one", "/some", "/created", "/typed"]) {
      const res = await call("GET", path);
      const { headers } = res;
      got[path] = [res.status, headers.get("content-type"), headers.get("content-length"), await res.text()];
    }
    assert.deepEqual(got, {
      "/none": [200, "application/json; charset=utf-8", "2", "[]"],
      "/one": [200, "application/json; charset=utf-8", "6", "[null]"],
      "/some": [200, "application/json; charset=utf-8", "28", '[[0,"ü"],[1,"ü"],[2,"ü"]]'],
      "/created": [201, "application/json; charset=utf-8", "13", '[{"index":0}]'],
      "/typed": [200, "application/feed+json", "13", '[{"index":0}]'],
    });
  },
);

testOnBothTransports(
  "a long jsonArray() is streamed and arrives whole",
  [get("/", () => jsonArray(new Rows().up(20_000)))],
  async (call) => {
    const res = await call("GET", "/");
    assert.equal(res.headers.get("content-length"), null);
    const expected = Array.from({ length: 20_000 }, (_, index) => ({ index }));
    assert.deepEqual(await res.json(), expected);
  },
);

testOnBothTransports(
  "a row that fails at once, or that JSON cannot represent, is a 500",
  [
    get("/fails", () => jsonArray(new Rows().up(3, failAt(0)))),
    get("/undefined", () => jsonArray(new Rows().up(3, () => undefined))),
  ],
  async (call, _, log) => {
    assert.equal((await call("GET", "/fails")).status, 500);
    assert.equal((await call("GET", "/undefined")).status, 500);
    assert.deepEqual(log.causes(), ["row failed", "a value of type undefined cannot be written as JSON"]);
  },
);

testOnBothTransports(
  "a row that fails after the response has begun cuts the connection",
  [get("/", () => jsonArray(new Rows().up(10, failAt(5))))],
  async (call) => {
    const res = await call("GET", "/");
    assert.equal(res.status, 200);
    await assert.rejects(res.text());
  },
);

const discarded = new Rows();
testOnBothTransports(
  "a HEAD request reads no more rows than it must, and stops the source",
  [get("/", () => jsonArray(discarded.up(1_000_000)))],
  async (call) => {
    const res = await call("HEAD", "/");
    assert.equal(res.status, 200);
    await discarded.stopped;
    assert.ok(discarded.read < 1_000_000);
  },
);

const slow = new Rows();
testOnWire(
  "jsonArray() reads no more rows than a slow client reads, and stops when the client leaves",
  [get("/", () => jsonArray(slow.up(10_000, () => "x".repeat(40_000))))],
  async ({ connect }) => {
    const client = connect().send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await client.until(({ text }) => text.length > 0, "head");
    client.socket.pause();
    client.socket.destroy();
    await slow.stopped;
    assert.ok(slow.read < 1000, `${slow.read} rows of 40 kB were read for a client that takes none`);
  },
);

test("a command prints a jsonArray() as one line", async () => {
  const routes: Routes = [{ path: "list", handler: () => jsonArray(new Rows().up(2)) }];
  const app = await createTestApp(moduleOf(routes), cli({ name: "blog" }));
  const { stdout, code } = await app.run(["list"]);
  assert.deepEqual([code, stdout], [0, '[{"index":0},{"index":1}]\n']);
});

async function* indexes(to: number) {
  for (let index = 0; index < to; index++) yield { index, secret: "x" };
}
const Failing: Schema = {
  "~standard": {
    version: 1,
    vendor: "test",
    validate: () => {
      throw new Error("a bug");
    },
  },
};
testOnBothTransports(
  "a schema that fails for a row is a 500",
  [
    get(
      "/",
      endpoint({ returns: Failing }, () => jsonArray(indexes(2))),
    ),
  ],
  async (call) => assert.equal((await call("GET", "/")).status, 500),
);

const Slow = z.object({ index: z.number() }).refine(async () => true);
testOnBothTransports(
  "rows of a schema that validates asynchronously have its fields only",
  [
    get(
      "/",
      endpoint({ returns: z.array(Slow) }, () => jsonArray(indexes(2))),
    ),
  ],
  async (call) => {
    const response = await call("GET", "/");
    assert.deepEqual(await response.json(), [{ index: 0 }, { index: 1 }]);
  },
);
