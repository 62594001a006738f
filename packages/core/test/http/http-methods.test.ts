import assert from "node:assert/strict";
import { createServer } from "node:net";
import { describe, test } from "node:test";
import { type ApiOptions, api, StartError } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { toListenError } from "../../src/http/http-methods.ts";
import { runFixture } from "../support/run-fixture.ts";
import { rejection } from "../support/start-error.ts";
import { moduleOf } from "../support/transports.ts";

const listen = (options: object) => runFixture("listen.ts", [JSON.stringify(options)]);
const failed = { code: 1, stdout: "started\nstopped\n" };
const refused = { code: 1, stdout: "" };

// concurrent, because each test loads a process of its own
describe("a failed start exits with code 1 and prints one line", { concurrency: true }, () => {
  test("the port is in use", async () => {
    const other = createServer();
    const port = await new Promise<number>((resolve) => {
      other.listen(0, "127.0.0.1", () => resolve((other.address() as { port: number }).port)); // a TCP server has no other
    });
    const result = await listen({ listen: { port } });
    other.close();
    const message = `Port ${port} on 127.0.0.1 is in use. Stop the program that has it, or listen on another port.`;
    assert.deepEqual(result, { ...failed, stderr: `Cannot start: ${message}\n` });
  });

  test("the port is out of range", async () => {
    const stderr = "Cannot start: port is 70000. It takes a whole number from 0 to 65535.\n";
    assert.deepEqual(await listen({ listen: { port: 70_000 } }), { ...refused, stderr });
  });

  test("the host name does not resolve", async () => {
    const message =
      "The host name nowhere.invalid cannot be resolved. Use 127.0.0.1 or 0.0.0.0, or a name of this machine.";
    const result = await listen({ listen: { port: 0, host: "nowhere.invalid" } });
    assert.deepEqual(result, { ...failed, stderr: `Cannot start: ${message}\n` });
  });

  test("the host is not an address of this machine", async () => {
    const message = "192.0.2.1 is not an address of this machine. Use 127.0.0.1 or 0.0.0.0.";
    const result = await listen({ listen: { port: 0, host: "192.0.2.1" } });
    assert.deepEqual(result, { ...failed, stderr: `Cannot start: ${message}\n` });
  });

  test("invalid limits and proxies are all reported", async () => {
    const result = await listen({
      api: {
        limits: { body: 0, jsonDepth: 1.5, keepAlive: 2 ** 31, speed: 1 },
        trustedProxies: ["10.0.0.0/33", "all"],
      },
    });
    const stderr = `Cannot start: 6 problems:
  1. limits.body is 0. It takes a whole number from 1 to 2147483647.
  2. limits.jsonDepth is 1.5. It takes a whole number from 1 to 2147483647.
  3. limits.keepAlive is 2147483648. It takes a whole number from 1 to 2147483647.
  4. limits.speed is not a limit. Limits: body, jsonDepth, queryPairs, bodyTimeout, formParts, files, fileSize, uri, headerBytes, headerCount, headerTimeout, requestTimeout, keepAlive, pendingBytes, pendingBytesTotal, stopTimeout.
  5. trustedProxies has "10.0.0.0/33". It takes addresses and CIDR ranges, for example "10.0.0.0/8".
  6. trustedProxies has "all". It takes addresses and CIDR ranges, for example "10.0.0.0/8".
`;
    assert.deepEqual(result, { ...refused, stderr });
  });
});

test("a port that needs more rights is explained", () => {
  const error = Object.assign(new Error("listen EACCES: permission denied 127.0.0.1:80"), { code: "EACCES" });
  assert.equal(
    toListenError(error, 80, "127.0.0.1").message,
    "Port 80 needs rights that this process does not have. Use a port above 1023.",
  );
});

test("an unreachable resolver is explained like a name that does not exist", () => {
  const error = Object.assign(new Error("getaddrinfo EAI_AGAIN x"), { code: "EAI_AGAIN" });
  assert.match(toListenError(error, 0, "x").message, /^The host name x cannot be resolved\./);
});

test("any other listen error keeps its own message and its cause", () => {
  const error = Object.assign(new Error("listen EMFILE: too many open files"), { code: "EMFILE" });
  const { message, cause } = toListenError(error, 80, "127.0.0.1");
  assert.equal(message, "Cannot listen on 127.0.0.1:80: listen EMFILE: too many open files");
  assert.equal(cause, error);
  assert.equal(toListenError("no port", 80, "::1").message, "Cannot listen on ::1:80: no port");
});

const create = (options: ApiOptions = {}) =>
  createTestApp(moduleOf([{ method: "GET", path: "/", handler: () => "ok" }]), api(options));

for (const port of [-1, 65_536, 1.5, Number.NaN, "80" as unknown as number]) {
  // values that an unchecked environment variable can have
  test(`listen() rejects the port ${JSON.stringify(port)} (${typeof port})`, async () => {
    const app = await create();
    await assert.rejects(app.listen({ port, signals: false }), {
      name: "StartError",
      message: `port is ${String(port)}. It takes a whole number from 0 to 65535.`,
    });
  });
}

test("listen() rejects an empty host and an invalid TLS key", async () => {
  await assert.rejects((await create()).listen({ host: "", port: 0 }), /^StartError: host is empty\./);
  await assert.rejects((await create()).listen({ port: 0, tls: { key: "x", cert: "y" } }), (error) => {
    assert.ok(error instanceof StartError);
    assert.match(error.message, /^Cannot listen on 127\.0\.0\.1:0: [^\n]*PEM[^\n]*$/i);
    return true;
  });
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

test("a request timeout below the header timeout is valid", async () => {
  const app = await create({ limits: { requestTimeout: 1000 } });
  const { url } = await app.listen({ port: 0, signals: false });
  assert.equal((await fetch(url)).status, 200);
  await app.stop();
});

test("a stopped application accepts no requests, and its port is free", async () => {
  const app = await create();
  const { url, port } = await app.listen({ port: 0, signals: false });
  await app.stop();
  await assert.rejects(fetch(url));
  const res = await app.fetch(new Request(url));
  assert.deepEqual([res.status, await res.json()], [503, { error: "Service Unavailable" }]);
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
