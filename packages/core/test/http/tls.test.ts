import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { readFileSync } from "node:fs";
import { get } from "node:https";
import { test } from "node:test";
import { connect } from "node:tls";
import { type ApiOptions, api, type Context } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { moduleOf } from "../support/transports.ts";
import { RawClient } from "../support/wire.ts";

const key = readFileSync(new URL("../fixtures/tls/key.pem", import.meta.url));
const cert = readFileSync(new URL("../fixtures/tls/cert.pem", import.meta.url));

const handled = new EventEmitter();
const released = Promise.withResolvers<string>();
const routes = [
  {
    method: "GET" as const,
    path: "/",
    handler: (ctx: Context) => {
      ctx.setCookie("a", "1");
      return { protocol: ctx.request().protocol(), address: ctx.request().address() };
    },
  },
  {
    method: "GET" as const,
    path: "/hang",
    handler: () => {
      handled.emit("/hang");
      return new Promise(() => {});
    },
  },
  {
    method: "GET" as const,
    path: "/slow",
    handler: () => {
      handled.emit("/slow");
      return released.promise;
    },
  },
];

async function serve(
  limits: NonNullable<ApiOptions["limits"]>,
  body: (port: number, url: string, stop: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const app = await createTestApp(moduleOf(routes), api({ limits }));
  try {
    const { port, url } = await app.listen({ port: 0, tls: { key, cert }, signals: false });
    await body(port, url, () => app.stop());
  } finally {
    await app.stop();
  }
}

function request(url: string): Promise<{ body: string; cookies: string[] | undefined }> {
  return new Promise((resolve, reject) => {
    get(url, { ca: cert, agent: false }, (res) => {
      let body = "";
      res.setEncoding("utf8").on("data", (text: string) => {
        body += text;
      });
      res.on("end", () => resolve({ body, cookies: res.headers["set-cookie"] }));
    }).on("error", reject);
  });
}

test("listen({ tls }) serves https, returns an https URL and makes cookies Secure", () =>
  serve({}, async (port, url) => {
    assert.equal(url, `https://127.0.0.1:${port}`);
    const { body, cookies } = await request(url);
    assert.deepEqual(JSON.parse(body), { protocol: "https", address: "127.0.0.1" });
    assert.deepEqual(cookies, ["a=1; Path=/; HttpOnly; Secure; SameSite=Lax"]);
  }));

test("plain HTTP and garbage on an https port close the connection, and the server keeps serving", () =>
  serve({}, async (port, url) => {
    for (const bytes of ["GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "\x16\x03\x01\xff\xff", "\0\0\0\0\0\0\0\0"]) {
      const client = new RawClient(port).send(Buffer.from(bytes, "latin1"));
      if (bytes.startsWith("\x16")) client.socket.end();
      await client.until(({ closed }) => closed, "end");
      assert.doesNotMatch(client.text, /HTTP/);
    }
    assert.equal((await request(url)).body.includes("https"), true);
  }));

test("a handshake that never ends is closed", () =>
  serve({ headerTimeout: 50 }, async (port) => {
    const client = new RawClient(port);
    await client.until(({ closed }) => closed, "end");
  }));

test("a stop waits neither for idle connections nor for handshakes that never end", () =>
  serve({ headerTimeout: 20_000, stopTimeout: 20_000 }, async (port, _, stop) => {
    const silent = new RawClient(port);
    const secure = connect({ port, host: "127.0.0.1", ca: cert });
    secure.on("error", () => {});
    try {
      await new Promise((resolve) => silent.socket.once("connect", resolve));
      await new Promise((resolve) => secure.once("secureConnect", resolve));
      const closed = new Promise((resolve) => secure.once("close", resolve).resume());
      const stopped = stop();
      await silent.until((client) => client.closed, "end");
      await closed;
      await stopped;
    } finally {
      silent.socket.destroy();
      secure.destroy();
    }
  }));

test("a stop lets encrypted requests finish", () =>
  serve({}, async (port, url, stop) => {
    const working = once(handled, "/slow");
    const response = request(`${url}/slow`);
    await working;
    const silent = new RawClient(port);
    await once(silent.socket, "connect");
    const stopped = stop();
    await silent.until(({ closed }) => closed, "end"); // the stop has begun
    released.resolve("slow");
    await stopped;
    assert.equal((await response).body, '"slow"');
  }));

test("the deadline of a stop cuts encrypted connections too", () =>
  serve({ stopTimeout: 50 }, async (port, _, stop) => {
    const secure = connect({ port, host: "127.0.0.1", ca: cert });
    secure.on("error", () => {});
    const closed = new Promise((resolve) => secure.once("close", resolve).resume());
    const working = once(handled, "/hang");
    secure.write("GET /hang HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await working;
    await stop();
    await closed;
  }));
