import { api, type Context, type Next, type Route, type Routes } from "@tenon/core";
import { createTestApp, type TestHttpApp } from "@tenon/core/testing";
import { requestRaw } from "./raw-request.ts";
import { moduleOf } from "./transports.ts";

/** Counts runs: these advisories have in common that a handler runs without its guard. */
export class Runs {
  readonly guard: string[] = [];
  handler = 0;

  readonly guarding = (ctx: Context, next: Next): unknown => {
    this.guard.push(ctx.path);
    return next();
  };

  readonly handling = (ctx: Context): unknown => {
    this.handler++;
    return ctx.request().params();
  };

  route(path: string, method: Route["method"] = "GET"): Route {
    return { method, path, handler: this.handling };
  }

  group(path: string, ...children: readonly Route[]): Route {
    return { path, middlewares: [this.guarding], children };
  }
}

export type Get = (
  target: string,
  method?: string,
) => Promise<{ status: number | undefined; head: string; body: string }>;

/** A real server with these routes; `get` sends its target unchanged. */
export async function withServer(routes: Routes, body: (get: Get, app: TestHttpApp) => Promise<void>): Promise<void> {
  const app = await createTestApp(moduleOf(routes), api({ middlewares: [] }));
  try {
    const { port } = await app.listen({ port: 0, signals: false });
    await body((target, method = "GET") => requestRaw(port, target, { method }), app);
  } finally {
    await app.stop();
  }
}
