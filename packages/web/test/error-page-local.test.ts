import assert from "node:assert/strict";
import { request } from "node:http";
import { connect, isIPv4 } from "node:net";
import { networkInterfaces } from "node:os";
import { type TestContext, test } from "node:test";
import type { Context } from "@tenon/core";
import { isLocalRequest } from "@tenon/core/platform";
import { createTestApp } from "@tenon/core/testing";
import { web } from "@tenon/web";
import { moduleOf } from "../../core/test/support/transports.ts";
import { type Files, temporaryViews } from "./support/views.ts";

const secret = "postgres://admin:hunter2@db/prod";
const fail = () => {
  throw new Error(secret);
};
const routes = [
  { method: "GET" as const, path: "/boom", handler: fail },
  { method: "DELETE" as const, path: "/boom", handler: fail },
];

/** An application in development. */
async function start(t: TestContext, files: Files = {}, trustedProxies: readonly string[] = []) {
  const platform = web({ views: temporaryViews(files), development: true, trustedProxies });
  const app = await createTestApp(moduleOf(routes), platform);
  t.after(() => app.stop());
  return app;
}

interface Asked {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The address that the connection comes from. */
  readonly from?: string;
}

/** Over a socket, with any Host. */
function ask(port: number, { path = "/boom", method = "GET", headers = {}, from = "127.0.0.1" }: Asked) {
  return new Promise<string>((resolve, reject) => {
    const options = { host: "127.0.0.1", port, path, method, localAddress: from, agent: false as const };
    const sent = request({ ...options, headers: { accept: "text/html", ...headers } }, (response) => {
      response.setEncoding("utf8");
      let text = "";
      response.on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () => resolve(text));
    });
    sent.on("error", reject);
    sent.end();
  });
}

function assertForDeveloper(text: string, why: string): void {
  assert.match(text, /This page is for development/, why);
}

function assertForClient(text: string, why: string): void {
  assert.match(text, /<h1>(?:Internal Server Error|Not Found)<\/h1>/, why);
  for (const word of [secret, ".ts", "Stack", "Routes", "TestController", "development"]) {
    assert.ok(!text.includes(word), `${why}: the page has ${word}`);
  }
}

const forwardingHeaders = [
  "Forwarded",
  "X-Forwarded-For",
  "X-Forwarded-Host",
  "X-Forwarded-Proto",
  "x-forwarded-server",
  "Via",
  "X-Real-IP",
  "X-Client-IP",
  "True-Client-IP",
  "CF-Connecting-IP",
  "CDN-Loop",
  "X-Forwarded",
  "Forwarded-For",
  "X-Original-Forwarded-For",
  "X-Original-Host",
  "X-Cluster-Client-IP",
  "Fastly-Client-IP",
  "Fly-Client-IP",
  "X-Azure-ClientIP",
  "X-Envoy-External-Address",
];

test("a developer page is shown to a loopback peer that names a loopback host", async (t) => {
  const { port } = await (await start(t)).listen({ port: 0, signals: false });
  const hosts = [
    "localhost",
    `localhost:${port}`,
    "LOCALHOST:1",
    "blog.localhost:8080",
    "127.0.0.1",
    "127.1.2.3:80",
    "[::1]:80",
  ];
  for (const host of hosts) {
    assertForDeveloper(await ask(port, { headers: { host } }), host);
    assertForDeveloper(await ask(port, { path: "/lost", headers: { host } }), host);
  }
  assertForDeveloper(await ask(port, { from: "127.0.0.9" }), "another address of 127.0.0.0/8");
});

test("a loopback peer that names another host gets the production page", async (t) => {
  const { port } = await (await start(t)).listen({ port: 0, signals: false });
  const hosts = [
    "blog.example",
    "localhost.example:8080",
    "notlocalhost",
    "127.0.0.1.example",
    "10.0.0.1",
    "0.0.0.0",
    "[::2]",
    "[::ffff:10.0.0.1]",
  ];
  for (const host of hosts) {
    assertForClient(await ask(port, { headers: { host } }), host);
    assertForClient(await ask(port, { path: "/lost", headers: { host } }), host);
  }
});

test("a request without a Host, as HTTP/1.0 allows it, gets the production page", async (t) => {
  const { port } = await (await start(t)).listen({ port: 0, signals: false });
  const socket = connect(port, "127.0.0.1", () => socket.write("GET /boom HTTP/1.0\r\nAccept: text/html\r\n\r\n"));
  const chunks = await socket.toArray();
  assertForClient(Buffer.concat(chunks).toString(), "HTTP/1.0");
});

test("a request with a header of a proxy gets the production page, trusted or not", async (t) => {
  for (const trusted of [[], ["127.0.0.1"]]) {
    const { port } = await (await start(t, {}, trusted)).listen({ port: 0, signals: false });
    for (const name of forwardingHeaders) {
      const headers = { host: "localhost", [name]: name === "X-Forwarded-Host" ? "localhost" : "127.0.0.1" };
      assertForClient(await ask(port, { headers }), name);
      assertForClient(await ask(port, { path: "/lost", headers }), name);
    }
  }
});

const remote = Object.values(networkInterfaces())
  .flatMap((list) => list ?? [])
  .find(({ address, internal }) => !internal && isIPv4(address))?.address;

test("a peer without a loopback address gets the production page", {
  skip: remote === undefined && "this machine has no other IPv4 address",
}, async (t) => {
  const { port } = await (await start(t)).listen({ port: 0, signals: false });
  const headers = { host: "localhost" };
  assertForClient(await ask(port, { headers, from: remote ?? "" }), "GET");
  const override = { ...headers, "content-type": "application/x-www-form-urlencoded" };
  const overridden = await ask(port, {
    method: "POST",
    path: "/boom?_method=DELETE",
    headers: override,
    from: remote ?? "",
  });
  assertForClient(overridden, "a form that is routed as another method");
});

test("a remote client gets the views of the application, and never errors/development", async (t) => {
  const files = {
    "errors/500.eta": "own 500",
    "errors/404.eta": "<%= missing %>",
    "errors/development.eta": "developer",
  };
  const { port } = await (await start(t, files)).listen({ port: 0, signals: false });
  const headers = { host: "blog.example" };
  assert.equal(await ask(port, { headers }), "own 500");
  assert.equal(await ask(port, {}), "developer");
  assertForClient(await ask(port, { path: "/lost", headers }), "a view that fails");
});

test("app.fetch has no peer: host and headers decide", async (t) => {
  const app = await start(t);
  const text = async (url: string, headers: Record<string, string> = {}) =>
    (await app.fetch(new Request(url, { headers: { accept: "text/html", ...headers } }))).text();
  assertForDeveloper(await text("http://localhost/boom"), "localhost");
  assertForClient(await text("http://blog.example/boom"), "another host in the URL");
  assertForClient(await text("http://localhost/boom", { host: "blog.example" }), "another Host");
  for (const name of forwardingHeaders) assertForClient(await text("http://localhost/boom", { [name]: "x" }), name);
});

test("only loopback addresses are local", () => {
  const isLocal = (peer: string | undefined) =>
    // the only parts of a context that are read
    isLocalRequest({ request: () => ({ peer: () => peer, host: () => "localhost", headers: () => ({}) }) } as Context);
  for (const peer of [undefined, "127.0.0.1", "127.255.255.254", "::1"])
    assert.equal(isLocal(peer), true, String(peer));
  // "" is a socket that has no address any more
  for (const peer of [
    "",
    "10.0.0.1",
    "192.168.1.127",
    "12.7.0.1",
    "128.0.0.1",
    "::",
    "::2",
    "fe80::1",
    "2001:db8::1",
  ]) {
    assert.equal(isLocal(peer), false, peer);
  }
});

test("an absolute target with a loopback host shows no developer page when the Host header names another", async (t) => {
  const app = await start(t);
  const { port } = await app.listen({ port: 0, signals: false });
  const path = `http://127.0.0.1:${port}/boom`;
  assertForClient(await ask(port, { path, headers: { host: "evil.example" } }), "Host: evil.example");
  assertForDeveloper(await ask(port, { path, headers: { host: "localhost" } }), "Host: localhost");
});
