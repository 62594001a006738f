import assert from "node:assert/strict";
import { test } from "node:test";
import { dto, route, string } from "@tenon/core";
import { type } from "arktype";
import { createLog } from "../../src/log/log.ts";
import { testOnBothTransports } from "../support/transports.ts";

testOnBothTransports(
  "the headers of a request can be logged whole: its secrets do not appear",
  [
    route.get("/", (ctx) => {
      ctx.log.info({ headers: ctx.request().headers() }, "headers");
      ctx.log.info({ headers: Object.entries(ctx.request().headers()).flat() }, "flat");
    }),
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
    route.post("/dto", (ctx) => ctx.bind(dto({ password: string("min=99"), title: string("required") }))),
    route.post("/schema", (ctx) => ctx.bind(type({ password: "string.digits", title: "string.digits" }))),
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
    route.get("/", () => {
      throw { reason: "seen", password: "hunter2" };
    }),
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
