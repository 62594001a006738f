import assert from "node:assert/strict";
import { test } from "node:test";
import { type ApiOptions, api } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { toListenError } from "../../src/http/http-app.ts";
import { rejection } from "../support/start-error.ts";
import { moduleOf } from "../support/transports.ts";

test("a port that needs more rights is explained", () => {
  const error = Object.assign(new Error("listen EACCES: permission denied 127.0.0.1:80"), { code: "EACCES" });
  assert.equal(
    toListenError(error, 80, "127.0.0.1").message,
    "Port 80 needs rights that this process does not have. Use a port above 1023.",
  );
});

test("any other listen error keeps its own message and its cause", () => {
  const error = Object.assign(new Error("listen EMFILE: too many open files"), { code: "EMFILE" });
  const { message, cause } = toListenError(error, 80, "127.0.0.1");
  assert.equal(message, "Cannot listen on 127.0.0.1:80: listen EMFILE: too many open files");
  assert.equal(cause, error);
});

const create = (options: ApiOptions = {}) =>
  createTestApp(moduleOf([{ method: "GET", path: "/", handler: () => "ok" }]), api(options));

test("listen() rejects what is not a port, as an unchecked environment variable may have", async () => {
  for (const port of [-1, 65_536, 1.5, Number.NaN, "80" as unknown as number]) {
    const { problems } = await rejection((await create()).listen({ port, signals: false }));
    assert.deepEqual([problems.map(({ code }) => code)], [["BAD_OPTION"]], String(port));
  }
});

test("an invalid TLS key is a start error of one line", async () => {
  const { message } = await rejection((await create()).listen({ port: 0, tls: { key: "x", cert: "y" } }));
  assert.match(message, /^Cannot listen on 127\.0\.0\.1:0: [^\n]*PEM[^\n]*$/i);
});

test("listen() returns the address, also for IPv6", async () => {
  const app = await create();
  try {
    const four = await app.listen({ port: 0, signals: false });
    assert.deepEqual([four.host, four.url], ["127.0.0.1", `http://127.0.0.1:${four.port}`]);
    const six = await app.listen({ port: 0, host: "::1", signals: false });
    assert.deepEqual([six.host, six.url], ["::1", `http://[::1]:${six.port}`]);
    assert.equal((await fetch(six.url)).status, 200);
    assert.equal((await fetch(four.url)).status, 200);
  } finally {
    await app.stop();
  }
});

test("a request timeout below the header timeout is valid, which node:http would refuse", async () => {
  const app = await create({ engine: "node", limits: { headerTimeout: 60_000, requestTimeout: 30_000 } });
  const { url } = await app.listen({ port: 0, signals: false });
  assert.equal((await fetch(url)).status, 200);
  await app.stop();
});

test("a stopped application accepts no requests, and its port is free", async () => {
  const app = await create({ errors: "problem" });
  const { url, port } = await app.listen({ port: 0, signals: false });
  await app.stop();
  await assert.rejects(fetch(url));
  const res = await app.fetch(new Request(url));
  assert.deepEqual([res.status, res.headers.get("content-type")], [503, "application/problem+json"]);
  const head = await app.fetch(new Request(url, { method: "HEAD" }));
  assert.deepEqual([head.status, await head.text()], [503, ""]);
  const next = await create();
  await next.listen({ port, signals: false });
  await next.stop();
});

test("listen() leaves no signal listener after a stop", async () => {
  const before = process.listenerCount("SIGTERM") + process.listenerCount("SIGINT");
  const app = await create();
  await app.listen({ port: 0 });
  assert.equal(process.listenerCount("SIGTERM") + process.listenerCount("SIGINT"), before + 2);
  await app.stop();
  assert.equal(process.listenerCount("SIGTERM") + process.listenerCount("SIGINT"), before);
});

test("a stop while the port is being opened closes it again", async () => {
  const app = await create();
  const listening = rejection(app.listen({ port: 0, signals: false }));
  for (let turns = 0; turns < 20; turns++) await undefined; // after the start, before the next turn of the event loop
  await app.stop();
  assert.deepEqual(
    (await listening).problems.map(({ code }) => code),
    ["APP_STOPPED"],
  );
});
