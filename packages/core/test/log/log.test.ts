import assert from "node:assert/strict";
import { test } from "node:test";
import { api, type Context, dto, string } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { type } from "arktype";
import type { LogOptions } from "../../src/log/log.ts";
import { createLog } from "../../src/log/log.ts";
import { sendRaw } from "../support/raw-socket.ts";
import { moduleOf, testOnBothTransports } from "../support/transports.ts";

/** Every control character, the line ends of Unicode among them, and what a terminal would obey. */
const hostile = `\r\n\u001b[2J\u0000\u0007\u0008\u007f\u0085\u009b31m\u2028\u2029{"level":"fatal"}`;

function collect(pretty: boolean): { readonly lines: string[]; readonly options: LogOptions } {
  const lines: string[] = [];
  const destination = { write: (line: string) => lines.push(line) };
  return { lines, options: { level: "debug", pretty, color: false, destination } };
}

for (const pretty of [false, true]) {
  test(`control characters from the wire neither break a ${pretty ? "pretty" : "JSON"} line nor reach a terminal`, async () => {
    const { lines, options } = collect(pretty);
    const handler = (ctx: Context) => {
      const name = decodeURIComponent(ctx.query("name"));
      ctx.log.info({ agent: ctx.header("user-agent"), [name]: 1 }, decodeURIComponent(ctx.param("text")));
      ctx.log.child({ name, again: name }).warn(name);
    };
    const app = await createTestApp(moduleOf([{ method: "GET", path: "/say/:text", handler }]), api(), {
      log: options,
    });
    const encoded = encodeURIComponent(encodeURIComponent(hostile)); // twice, because no target carries U+0000
    await app.request("GET", `/say/${encoded}?name=${encoded}`, { headers: { "user-agent": "a\u009b2Jb\u0085c" } });
    assert.equal(lines.length, 3);
    for (const line of lines) assert.match(line, /^[^\u0000-\u001f\u007f-\u009f\u2028\u2029]+\n$/);
    if (pretty) return;
    const [first, second, last] = lines.map((line) => JSON.parse(line) as Record<string, unknown>); // pino's own JSON
    assert.equal(first?.msg, hostile);
    assert.equal(first?.agent, "a\u009b2Jb\u0085c");
    assert.equal(first?.[hostile], 1);
    assert.equal(second?.again, hostile);
    assert.equal(last?.path, `/say/${encoded}`);
  });
}

test("a request that inspection rejects leaves one line that repeats nothing from the wire", async () => {
  const { lines, options } = collect(false);
  const app = await createTestApp(moduleOf([]), api(), { log: options });
  try {
    const { port } = await app.listen({ port: 0, signals: false });
    lines.length = 0;
    const { status } = await sendRaw(port, "GET /\x9b2J\x85 HTTP/1.1\r\nHost: a\r\n\r\n");
    assert.equal(status, 400);
    assert.equal(lines.length, 1);
    const { time: _, ...line } = JSON.parse(lines[0] ?? "") as Record<string, unknown>; // pino's own JSON
    assert.equal(line.msg, "refused");
    assert.match(lines[0] ?? "", /^[\x20-\x7e]+\n$/);
  } finally {
    await app.stop();
  }
});

testOnBothTransports(
  "the headers of a request can be logged whole: its secrets do not appear",
  [
    {
      method: "GET",
      path: "/",
      handler: (ctx) => {
        ctx.log.info({ headers: ctx.request().headers() }, "headers");
        ctx.log.info({ headers: Object.entries(ctx.request().headers()).flat() }, "flat");
      },
    },
  ],
  async (call, _, log) => {
    await call("GET", "/", {
      headers: {
        Authorization: "Bearer hunter2",
        Cookie: "session_id=hunter2",
        "X-API-Key": "hunter2",
        "x-plain": "seen",
      },
    });
    const text = JSON.stringify(log.all);
    assert.equal(text.includes("hunter2"), false);
    assert.equal(text.match(/\[redacted\]/g)?.length, 6);
    assert.equal(text.match(/"seen"/g)?.length, 2);
  },
);

testOnBothTransports(
  "a body that cannot be bound leaves no value in the log, not even where a schema quotes it",
  [
    {
      method: "POST",
      path: "/dto",
      handler: (ctx) => ctx.bind(dto({ password: string("min=99"), title: string("required") })),
    },
    {
      method: "POST",
      path: "/schema",
      handler: (ctx) => ctx.bind(type({ password: "string.digits", title: "string.digits" })),
    },
  ],
  async (call, _, log) => {
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ password: "hunter2", title: "quoted" });
    assert.equal((await call("POST", "/dto", { headers, body })).status, 400);
    assert.equal((await call("POST", "/schema", { headers, body })).status, 400);
    const issues = log.all
      .filter((line) => String(line.msg).endsWith("the input was rejected"))
      .map((line) => line.issues);
    assert.deepEqual(issues[0], [{ path: "password", rule: "min" }]);
    assert.deepEqual(issues[1], [
      { path: "password", rule: "schema" },
      { path: "title", rule: "schema", message: "is invalid" },
    ]);
    assert.doesNotMatch(JSON.stringify(log.all), /hunter2|quoted/);
  },
);

testOnBothTransports(
  "something thrown that is not an error is logged without its secrets",
  [
    {
      method: "GET",
      path: "/",
      handler: () => {
        throw { reason: "seen", password: "hunter2" };
      },
    },
  ],
  async (call, _, log) => {
    assert.equal((await call("GET", "/")).status, 500);
    const line = log.all.find(({ level }) => level === "error");
    assert.deepEqual(line?.thrown, { reason: "seen", password: "[redacted]" });
    assert.equal(line?.err?.message, "an object was thrown, which is not an Error");
  },
);

test("the level decides what is written", () => {
  const lines: string[] = [];
  const log = createLog({ level: "warn", destination: { write: (line) => lines.push(line) } });
  log.info("no");
  log.warn("yes");
  log.child({ a: 1 }).debug("no");
  assert.equal(lines.length, 1);
  assert.equal(log.isLevelEnabled("info"), false);
});

test("a destination that is a terminal gets text for people", () => {
  const lines: string[] = [];
  const write = (line: string) => lines.push(line);
  createLog({ destination: { write, isTTY: true } }).info("hello");
  createLog({ destination: { write, isTTY: true }, color: false }).info("hello");
  createLog({ destination: { write, isTTY: false } }).info("hello");
  assert.match(lines[0] ?? "", /^\u001b\[90m[0-9:.]+\u001b\[39m \u001b\[32mINFO \u001b\[39m hello\n$/);
  assert.match(lines[1] ?? "", /^[0-9:.]+ INFO {2}hello\n$/);
  assert.match(lines[2] ?? "", /^\{"level":"info"/);
});
