import assert from "node:assert/strict";
import { connect } from "node:net";
import { type TestContext, test } from "node:test";
import { api, type Routes } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { LogLines } from "../../core/test/support/log-lines.ts";
import { moduleOf } from "../../core/test/support/transports.ts";
import { withoutSecret } from "../src/developer-access.ts";
import { developerSecret, forwardTcp, fromDeveloper, inDevelopment } from "./support/developer.ts";

const routes: Routes = [{ method: "GET", path: "/posts", handler: (ctx) => ctx.request().queries() }];

async function start(t: TestContext, trustedProxies: readonly string[] = []) {
  const log = new LogLines();
  const app = await createTestApp(moduleOf(routes), inDevelopment(api({ trustedProxies })), { log: log.options });
  t.after(() => app.stop());
  return { ...(await app.listen({ port: 0, signals: false })), log };
}

/** The status of `GET /`, whose overview is for the developer. Any `Host` can be sent. */
async function statusOf(port: number, headers: Readonly<Record<string, string>>): Promise<number> {
  const lines = Object.entries({ host: `localhost:${port}`, connection: "close", ...headers });
  const socket = connect(port, "127.0.0.1");
  socket.write(`GET / HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`);
  const text = Buffer.concat(await socket.toArray()).toString();
  return Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]);
}

const claims: Readonly<Record<string, string>>[] = [
  {},
  { host: "localhost" },
  { host: "127.0.0.1" },
  { host: "[::1]:8080" },
  { host: "example.com" },
  { "x-forwarded-for": "127.0.0.1" },
  { "x-forwarded-for": "127.0.0.1", "x-forwarded-host": "localhost", "x-forwarded-proto": "http" },
  { forwarded: "for=127.0.0.1;host=localhost" },
  { "x-real-ip": "127.0.0.1" },
];

test("no address, Host or header of a proxy shows a developer page, through a TCP forwarder or not", async (t) => {
  for (const trusted of [[], ["127.0.0.1"]]) {
    const { port } = await start(t, trusted);
    for (const at of [port, await forwardTcp(t, port)]) {
      for (const headers of claims) assert.equal(await statusOf(at, headers), 404, JSON.stringify(headers));
    }
  }
});

test("the secret shows developer pages, in the header or in the cookie, through a TCP forwarder or not", async (t) => {
  const { port } = await start(t);
  for (const at of [port, await forwardTcp(t, port)]) {
    for (const headers of claims) assert.equal(await statusOf(at, { ...headers, ...fromDeveloper }), 200);
    assert.equal(await statusOf(at, { cookie: `a=b; tenon-dev-${at}=${developerSecret}` }), 200);
  }
  assert.equal(await statusOf(port, { host: "localhost", cookie: `tenon-dev-80=${developerSecret}` }), 200);
});

test("a wrong secret, or one in another place, shows nothing", async (t) => {
  const { port } = await start(t);
  const wrong = [
    { "x-tenon-dev": "" },
    { "x-tenon-dev": developerSecret.slice(1) },
    { "x-tenon-dev": `${developerSecret}x` },
    { "x-tenon-dev": developerSecret.toUpperCase() },
    { "x-tenon-dev": `${developerSecret}, ${developerSecret}` },
    { cookie: `tenon-dev-${port}=` },
    { cookie: `tenon-dev-1=${developerSecret}` },
    { cookie: `tenon-dev=${developerSecret}` },
    { authorization: `Bearer ${developerSecret}` },
  ];
  for (const headers of wrong) assert.equal(await statusOf(port, headers), 404, JSON.stringify(headers));
});

test("the link sets the cookie and redirects to the URL without the secret", async (t) => {
  const { url, port, log } = await start(t);
  const open = (path: string, init: RequestInit = {}) => fetch(`${url}${path}`, { redirect: "manual", ...init });
  const response = await open(`/?dev_secret=${developerSecret}`);
  assert.deepEqual(
    [response.status, response.headers.get("location"), response.headers.get("set-cookie")],
    [303, "/", `tenon-dev-${port}=${developerSecret}; Path=/; HttpOnly; SameSite=Strict`],
  );
  assert.deepEqual(
    [response.headers.get("cache-control"), response.headers.get("referrer-policy")],
    ["no-store", "no-referrer"],
  );
  const cookie = response.headers.get("set-cookie")?.split(";")[0] ?? "";
  const overview = await open("/", { headers: { cookie } });
  assert.deepEqual([overview.status, overview.headers.get("cache-control")], [200, "no-store"]);
  for (const [path, location] of [
    [`/posts?a=1&dev_secret=${developerSecret}&b=%26`, "/posts?a=1&b=%26"],
    [`//evil.example/?dev_secret=${developerSecret}`, "/"],
    [`/\\evil.example/?dev_secret=${developerSecret}`, "/"],
  ] as const) {
    // fetch() would parse the path first
    const socket = connect(port, "127.0.0.1");
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    const text = Buffer.concat(await socket.toArray()).toString();
    assert.equal(/\r\nlocation: (.*)\r\n/i.exec(text)?.[1], location, text);
  }
  // a secret of another run is a parameter like others
  assert.deepEqual(await (await open("/posts?dev_secret=other")).json(), { dev_secret: "other" });
  assert.equal((await open(`/?dev_secret=${developerSecret}`, { method: "HEAD" })).status, 303);
  assert.equal((await open(`/?dev_secret=${developerSecret}`, { method: "POST" })).status, 404);
  const lines = JSON.stringify(log.all);
  assert.match(lines, /"\/posts"/);
  assert.ok(!lines.includes(developerSecret), lines);
});

test("the cookie is Secure on https", async (t) => {
  const app = await createTestApp(moduleOf(routes), inDevelopment(api()));
  t.after(() => app.stop());
  const response = await app.fetch(new Request(`https://localhost/?dev_secret=${developerSecret}`));
  assert.match(response.headers.get("set-cookie") ?? "", /^tenon-dev-443=.*; Secure; SameSite=Strict$/);
});

test("a log line with headers, values or the query of a developer's request does not show the secret", async (t) => {
  const log = new LogLines();
  const logging: Routes = [
    {
      method: "GET",
      path: "/log",
      handler: (ctx) => {
        const values = { "tenon-dev-80": ctx.cookie("tenon-dev-80") };
        ctx.log.info({ headers: ctx.request().headers(), query: ctx.request().queries(), values }, "as it came");
      },
    },
  ];
  const app = await createTestApp(moduleOf(logging), inDevelopment(api()), { log: log.options });
  t.after(() => app.stop());
  const cookie = `tenon-dev-80=${developerSecret}`;
  await app.fetch(new Request("http://localhost/log?dev_secret=old", { headers: { ...fromDeveloper, cookie } }));
  const line = log.all.find(({ msg }) => msg === "as it came");
  assert.deepEqual([line?.query, line?.values], [{ dev_secret: "[redacted]" }, { "tenon-dev-80": "[redacted]" }]);
  assert.ok(!JSON.stringify(log.all).includes(developerSecret));
});

test("the headers of a request are told without the secret and its cookie", () => {
  const cookie = `tenon-dev-8080=${developerSecret}`;
  assert.deepEqual(withoutSecret({ ...fromDeveloper, host: "a" }), { host: "a" });
  assert.deepEqual(withoutSecret({ cookie }), {});
  assert.deepEqual(withoutSecret({ cookie: `${cookie}; a=b; c=d` }), { cookie: "a=b; c=d" });
  assert.deepEqual(withoutSecret({ cookie: `a=b;${cookie}` }), { cookie: "a=b" });
});
