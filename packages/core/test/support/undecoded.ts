import { request } from "node:http";
import { test } from "node:test";
import { type ApiOptions, api, type Routes } from "@tenon/core";
import { createTestApp, type TestHttpApp } from "@tenon/core/testing";
import { type Call, moduleOf } from "./transports.ts";

/** Like `testOnBothTransports`, but with bodies as sent: `fetch` would decompress them. */
export function testUndecoded(
  name: string,
  routes: Routes,
  body: (call: Call, app: TestHttpApp) => Promise<void>,
  options: ApiOptions = {},
): void {
  for (const transport of ["fetch", "socket"]) {
    test(`${name} (${transport})`, async () => {
      const app = await createTestApp(moduleOf(routes), api(options));
      try {
        if (transport === "fetch") {
          await body(
            (method, path, init) => app.fetch(new Request(`http://localhost${path}`, { ...init, method })),
            app,
          );
        } else {
          const { url } = await app.listen({ port: 0, signals: false });
          await body((method, path, init) => send(`${url}${path}`, method, new Headers(init?.headers)), app);
        }
      } finally {
        await app.stop();
      }
    });
  }
}

function send(url: string, method: string, headers: Headers): Promise<Response> {
  return new Promise((resolve, reject) => {
    const req = request(url, { method, headers: Object.fromEntries(headers), agent: false }, (res) => {
      const chunks: Buffer[] = [];
      res.on("data", (chunk: Buffer) => chunks.push(chunk));
      res.on("error", reject);
      res.on("end", () => {
        const status = res.statusCode as number; // a response has one
        const responseHeaders = new Headers();
        for (let index = 0; index < res.rawHeaders.length; index += 2) {
          responseHeaders.append(res.rawHeaders[index] as string, res.rawHeaders[index + 1] as string); // they alternate
        }
        const bodiless = status === 204 || status === 304 || method === "HEAD";
        resolve(new Response(bodiless ? null : Buffer.concat(chunks), { status, headers: responseHeaders }));
      });
    });
    req.on("error", reject);
    req.end();
  });
}
