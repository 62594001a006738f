import { type App, type AppOptions, createApp } from "../app.ts";
import { readEnvironment } from "../environment.ts";
import type { HttpMethods } from "../http/door.ts";
import type { Module } from "../module/module.ts";
import type { Platform } from "../platform/platform.ts";
import type { Method } from "../route/record.ts";

export interface TestAppOptions extends Pick<AppOptions, "override" | "log" | "stopTimeout"> {}

export interface TestRequestOptions {
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent as it is. */
  readonly body?: string | Uint8Array<ArrayBuffer> | ReadableStream;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface TestHttpApp extends App, HttpMethods {
  /** Calls the application without a port. */
  request(method: Method, path: string, options?: TestRequestOptions): Promise<Response>;
}

/** A started application for a test: no port, silent unless LOG_LEVEL says otherwise, mistakes rejected as StartError. */
export async function createTestApp(
  module: Module,
  platform: Platform<HttpMethods>,
  options: TestAppOptions = {},
): Promise<TestHttpApp> {
  const app = await createApp(module, platform, {
    log: { level: readEnvironment().logLevel ?? "silent" },
    ...options,
    onStartError: "throw",
  });
  await app.start();
  const request: TestHttpApp["request"] = (method, path, { json, body, headers, signal } = {}) => {
    const all = new Headers(headers);
    if (json !== undefined && !all.has("content-type")) all.set("content-type", "application/json");
    return app.fetch(
      // not resolved against a base: "//posts" is a path here, not another host
      new Request(`http://localhost${path.startsWith("/") ? "" : "/"}${path}`, {
        method,
        headers: all,
        body: json === undefined ? (body ?? null) : JSON.stringify(json),
        ...(body instanceof ReadableStream ? { duplex: "half" } : {}),
        ...(signal === undefined ? {} : { signal }),
      }),
    );
  };
  return Object.assign(app, { request });
}
