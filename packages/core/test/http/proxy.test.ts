import assert from "node:assert/strict";
import { test } from "node:test";
import { api, type Context, createApp, defineModule } from "@tenon/core";
import { ProxyTrust } from "../../../server/src/request/proxy.ts";
import { testOnWire } from "../support/wire.ts";

const routes = [
  {
    method: "GET" as const,
    path: "/",
    handler: (ctx: Context) => {
      const request = ctx.request();
      return [request.address(), request.protocol(), request.host()];
    },
  },
];
const requestWith = (headers: string) => `GET / HTTP/1.1\r\nHost: own.example\r\n${headers}\r\n`;
for (const engine of ["wire", "node"] as const) {
  test(`the first request whose proxy headers are ignored is a warning that names the setting (${engine})`, async () => {
    const lines: string[] = [];
    const log = { destination: { write: (line: string) => void lines.push(line) } };
    const warnings = () => lines.filter((line) => line.includes('"warn"'));
    const module = defineModule({ name: "app", declarations: [] });
    const app = await createApp(module, api({ engine, trustedProxies: ["10.0.0.0/8"] }), { log });
    for (const route of routes) app.routes.add(route);
    const { url } = await app.listen({ port: 0, signals: false });
    await (await fetch(url)).text();
    assert.deepEqual(warnings(), []);
    for (const headers of [{ "x-forwarded-proto": "https" }, { "x-forwarded-for": "1.2.3.4" }]) {
      await (await fetch(url, { headers })).text();
      assert.equal(warnings().length, 1);
    }
    assert.match(warnings()[0] ?? "", /X-Forwarded-Proto of 127\.0\.0\.1 is ignored.*trustedProxies/);
    await app.stop();
  });
}

testOnWire(
  "the last protocol and host that a trusted proxy names count",
  routes,
  async (wire) => {
    const cases: readonly (readonly [headers: string, expected: readonly [string, string, string]])[] = [
      ["", ["127.0.0.1", "http", "own.example"]],
      ["X-Forwarded-Proto: https\r\nX-Forwarded-Host: other.example\r\n", ["127.0.0.1", "https", "other.example"]],
      ["X-Forwarded-For: 10.0.0.1\r\n", ["10.0.0.1", "http", "own.example"]],
      ["X-Forwarded-For: \r\nX-Forwarded-Proto: \r\n", ["127.0.0.1", "http", "own.example"]],
      ["X-Forwarded-Proto: https, http\r\n", ["127.0.0.1", "http", "own.example"]],
      ["X-Forwarded-Proto: javascript\r\n", ["127.0.0.1", "http", "own.example"]],
      ["X-Forwarded-Host: a.example, b.example:81\r\n", ["127.0.0.1", "http", "b.example:81"]],
      ["X-Forwarded-Host: u@evil\r\n", ["127.0.0.1", "http", "own.example"]],
    ];
    for (const [headers, expected] of cases) {
      assert.deepEqual(JSON.parse((await wire.send(requestWith(headers))).body), expected, headers);
    }
  },
  { trustedProxies: ["127.0.0.1", "10.0.0.0/8"] },
);

test("ranges of IPv4 and IPv6 are compared by their bits", () => {
  const trust = new ProxyTrust(["10.1.0.0/16", "2001:db8::/32", "::1", "::ffff:10.9.0.0/112"]);
  const clientOf = (address: string) =>
    trust.resolve({ address, protocol: "http", host: "" }, (name) =>
      name === "x-forwarded-for" ? "1.2.3.4" : undefined,
    ).address;
  for (const trusted of ["10.1.255.255", "::ffff:10.1.0.1", "2001:db8:ffff::1", "::1", "10.9.1.1"]) {
    assert.equal(clientOf(trusted), "1.2.3.4", trusted);
  }
  for (const other of ["10.2.0.0", "10.8.0.0", "2001:db9::1", "::2"]) assert.equal(clientOf(other), other);
  assert.equal(clientOf(""), "");
});

test("a list of 16 KiB is read from the right", () => {
  const trust = new ProxyTrust(["10.0.0.0/8"]);
  const list = `1.2.3.4,${"10.0.0.1,".repeat(1800)}10.0.0.1`;
  const { address } = trust.resolve({ address: "10.0.0.1", protocol: "http", host: "" }, () => list);
  assert.equal(address, "1.2.3.4");
});
