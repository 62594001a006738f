import assert from "node:assert/strict";
import { test } from "node:test";
import { api, type Context } from "@tenon/core";
import { networkOf, rateLimit } from "@tenon/core/middleware";
import { createTestApp } from "@tenon/core/testing";
import { moduleOf } from "../support/transports.ts";
import { testOnWire } from "../support/wire.ts";

const whoIs = {
  method: "GET" as const,
  path: "/",
  handler: (ctx: Context) => [ctx.request().address(), ctx.request().protocol(), ctx.request().host()],
};
const requestWith = (headers: string, host = "own.example") => `GET / HTTP/1.1\r\nHost: ${host}\r\n${headers}\r\n`;
const forwardedFor = (list: string) => requestWith(`X-Forwarded-For: ${list}\r\n`);
const forged = [
  "X-Forwarded-For: 1.2.3.4",
  "X-Forwarded-Proto: https",
  "X-Forwarded-Host: evil.example",
  "Forwarded: for=1.2.3.4;proto=https;host=evil.example",
  "X-Real-IP: 1.2.3.4",
  "CF-Connecting-IP: 1.2.3.4",
  "True-Client-IP: 1.2.3.4",
  "X-Forwarded-Ssl: on",
].map((header) => `${header}\r\n`);
const own = ["127.0.0.1", "http", "own.example"];

testOnWire(
  "proxy headers are ignored by default (X1, Fastify CVE-2026-3635, CVE-2026-16732)",
  [whoIs],
  async (wire) => {
    for (const header of forged) assert.deepEqual(JSON.parse((await wire.send(requestWith(header))).body), own, header);
    assert.deepEqual(JSON.parse((await wire.send(requestWith(forged.join("")))).body), own);
  },
);

testOnWire(
  "proxy headers of peers outside the trusted range are ignored (X1, Fastify CVE-2026-3635, CVE-2026-16732)",
  [whoIs],
  async (wire) => assert.deepEqual(JSON.parse((await wire.send(requestWith(forged.join("")))).body), own),
  { trustedProxies: ["10.0.0.0/8", "::1", "127.0.0.2/31"] },
);

test("trustedProxies accepts neither a number of hops nor a word for every peer (X1, Fastify CVE-2026-3635, CVE-2026-16732)", async () => {
  for (const proxy of [1, "1", "true", true, "*", "loopback", "all", "", "10.0.0.0/33", "10.0.0"]) {
    const trustedProxies = [proxy as string]; // what plain JavaScript could pass
    await assert.rejects(createTestApp(moduleOf([whoIs]), api({ trustedProxies })), { name: "StartError" }, `${proxy}`);
  }
});

testOnWire(
  "the right-most address of the list that is not a proxy counts (X2, Hono GHSA-xh87-mx6m-69f3, h3 0c7429e8)",
  [whoIs],
  async (wire) => {
    const addressOf = async (bytes: string) => (JSON.parse((await wire.send(bytes)).body) as string[])[0];
    assert.equal(await addressOf(forwardedFor("6.6.6.6, 1.2.3.4")), "1.2.3.4");
    assert.equal(await addressOf(forwardedFor("6.6.6.6, 1.2.3.4, 10.0.0.9")), "1.2.3.4");
    assert.equal(await addressOf(forwardedFor("10.0.0.1, 6.6.6.6, 1.2.3.4,10.0.0.9 ,10.0.0.8")), "1.2.3.4");
    assert.equal(
      await addressOf(forwardedFor("1.2.3.4, nonsense, 10.0.0.9")),
      "10.0.0.9",
      "and nothing left of an invalid address",
    );
    assert.equal(await addressOf(forwardedFor("1.2.3.4,, 10.0.0.9")), "10.0.0.9");
    assert.equal(await addressOf(forwardedFor("6.6.6.6\r\nX-Forwarded-For: 1.2.3.4")), "1.2.3.4");
  },
  { trustedProxies: ["127.0.0.1", "10.0.0.0/8"] },
);

testOnWire(
  "an address has one canonical form, and an invalid one is ignored (X3, Hono CVE-2026-24398, CVE-2026-47674)",
  [whoIs],
  async (wire) => {
    const addressOf = async (address: string) =>
      (JSON.parse((await wire.send(forwardedFor(address))).body) as string[])[0];
    for (const [given, canonical] of [
      ["::ffff:1.2.3.4", "1.2.3.4"],
      ["::FFFF:102:304", "1.2.3.4"],
      ["0:0:0:0:0:ffff:1.2.3.4", "1.2.3.4"],
      ["2001:DB8::1", "2001:db8::1"],
      ["2001:0db8:0000::0001", "2001:db8::1"],
      ["0:0::2", "::2"],
      ["FE80::1%eth0", "fe80::1"],
    ] as const) {
      assert.equal(await addressOf(given), canonical, given);
    }
    for (const nonsense of [
      "256.1.1.1",
      "01.2.3.4",
      "1.2.3.004",
      "1.2.3",
      "127.1",
      "0x7f.0.0.1",
      "2130706433",
      "1.2.3.4:80",
      "[::1]",
      "::1::",
      "localhost",
      "1.2.3.4 evil",
    ]) {
      assert.equal(await addressOf(nonsense), "127.0.0.1", nonsense);
    }
  },
  { trustedProxies: ["127.0.0.1"] },
);

testOnWire(
  "a mapped proxy is trusted as the IPv4 address that it is (X3, Hono CVE-2026-24398, CVE-2026-47674)",
  [whoIs],
  async (wire) => {
    const response = await wire.send(forwardedFor("1.2.3.4, ::ffff:10.0.0.9"));
    assert.equal((JSON.parse(response.body) as string[])[0], "1.2.3.4");
  },
  { trustedProxies: ["::ffff:127.0.0.1", "10.0.0.0/8"] },
);

testOnWire(
  "IPv6 clients count by their /64, mapped ones as IPv4 (X4, better-auth CVE-2026-45364, express-rate-limit CVE-2026-30827)",
  [whoIs],
  async (wire) => {
    const statusOf = async (address: string) => (await wire.send(forwardedFor(address))).status;
    assert.equal(await statusOf("2001:db8:1:2::1"), 200);
    assert.equal(await statusOf("2001:db8:1:2:ffff:ffff:ffff:ffff"), 429, "the same customer");
    assert.equal(await statusOf("2001:db8:1:3::1"), 200, "another one");
    assert.equal(await statusOf("1.2.3.4"), 200);
    assert.equal(await statusOf("::ffff:1.2.3.4"), 429, "the same host");
    assert.equal(await statusOf("::ffff:1.2.3.5"), 200, "not all of IPv4 in one");
    assert.equal(await statusOf("1.2.3.5"), 429);
    assert.equal(networkOf("::ffff:1.2.3.4"), "1.2.3.4");
  },
  { trustedProxies: ["127.0.0.1"], middlewares: [rateLimit({ limit: 1, window: 60, clock: { now: () => 0 } })] },
);

const away = { method: "GET" as const, path: "/away", handler: (ctx: Context) => ctx.redirect("/login") };
testOnWire(
  "the first request leaves no state that the next one sees (X5, better-auth CVE-2025-71401)",
  [whoIs, away],
  async (wire) => {
    const poison = `GET http://evil.example:1/away HTTP/1.1\r\nHost: evil.example:1\r\n${forged.join("")}\r\n`;
    assert.equal((await wire.send(poison)).headers.get("location")?.trim(), "/login");
    await wire.send(requestWith(forged.join(""), "evil.example"));
    assert.deepEqual(JSON.parse((await wire.send(requestWith(""))).body), own);
    const next = await wire.send("GET /away HTTP/1.1\r\nHost: own.example\r\n\r\n");
    assert.equal(next.headers.get("location")?.trim(), "/login");
  },
);
