import { test } from "node:test";
import { type ApiOptions, api, defineModule, type HttpApp, type Platform, type Routes } from "@tenon/core";
import { createTestApp, type TestHttpApp } from "@tenon/core/testing";
import { LogLines } from "./log-lines.ts";

/** One request to the application under test, in process or over a socket. */
export type Call = (method: string, path: string, init?: RequestInit) => Promise<Response>;

/**
 * Runs one test twice: in process through `app.fetch`, and over a real socket. The platform defaults to api(); `send`
 * makes the requests over the socket.
 */
export function testOnBothTransports(
  name: string,
  routes: Routes,
  body: (call: Call, app: TestHttpApp, log: LogLines) => Promise<void>,
  platform: ApiOptions | (() => Platform<HttpApp>) = {},
  send: (url: string, init: RequestInit) => Promise<Response> = fetch,
): void {
  const createPlatform = typeof platform === "function" ? platform : () => api(platform);
  for (const transport of ["fetch", "socket"]) {
    test(`${name} (${transport})`, async () => {
      const log = new LogLines();
      const app = await createTestApp(moduleOf(routes), createPlatform(), { log: log.options });
      try {
        let call: Call = (method, path, init) => app.fetch(new Request(`http://localhost${path}`, { ...init, method }));
        if (transport === "socket") {
          const { url } = await app.listen({ port: 0, signals: false });
          call = (method, path, init) => send(`${url}${path}`, { ...init, method, redirect: "manual" });
        }
        await body(call, app, log);
      } finally {
        await app.stop();
      }
    });
  }
}

/** A module with one controller that declares these routes. */
export function moduleOf(routes: Routes, name = "test") {
  class TestController {
    routes(): Routes {
      return routes;
    }
  }
  return defineModule({ name, declarations: [TestController] });
}
