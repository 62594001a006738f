import assert from "node:assert/strict";
import { test } from "node:test";
import { api, type Routes } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { LogLines } from "./support/log-lines.ts";
import { moduleOf, testOnBothTransports } from "./support/transports.ts";

let runs = 0;

testOnBothTransports(
  "next() called twice is a 500 and the handler ran once",
  [
    {
      method: "POST",
      path: "/",
      middlewares: [
        async function impatient(_, next) {
          await next();
          return next();
        },
      ],
      handler: () => {
        runs++;
        return "value";
      },
    },
  ],
  async (call, _app, log) => {
    runs = 0;
    const response = await call("POST", "/");
    assert.equal(response.status, 500);
    assert.deepEqual(await response.json(), { error: "Internal Server Error" });
    assert.equal(runs, 1);
    assert.deepEqual(log.causes(), ["impatient called next() twice"]);
  },
);
const forgetful: Routes = [
  {
    method: "GET",
    path: "/",
    middlewares: [
      async function forgetful(_, next) {
        await next();
      },
    ],
    handler: () => "value",
  },
];
const lostText = "forgetful called next() and did not return its value: return next()";

testOnBothTransports("a dropped value of next() is used, and warned of once", forgetful, async (call, _app, log) => {
  for (let round = 0; round < 3; round++) assert.equal(await (await call("GET", "/")).json(), "value");
  assert.deepEqual(log.messages("warn"), [lostText]);
});

test("in production a dropped value of next() is used without a warning", async () => {
  const before = process.env.NODE_ENV;
  const log = new LogLines();
  process.env.NODE_ENV = "production";
  try {
    const app = await createTestApp(moduleOf(forgetful), api(), { log: log.options });
    assert.equal(await (await app.request("GET", "/")).json(), "value");
    await app.stop();
  } finally {
    if (before === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = before;
  }
  assert.deepEqual(log.messages("warn"), []);
});
