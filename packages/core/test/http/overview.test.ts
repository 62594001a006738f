import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { api, type Context, type HttpMethods, type Platform, type Routes } from "@tenon/core";
import { run } from "../../../../test/support/run.ts";
import { createOverview } from "../../src/http/overview.ts";
import { testOnBothTransports } from "../support/transports.ts";

const get = (path: string) => ({ method: "GET" as const, path, handler: () => "own" });
const routes: Routes = [get("/posts"), get("/v1/docs"), { method: "POST", path: "/posts", handler: () => "own" }];

/** An API as its developer sees it, without a change to the environment of the other tests. */
function developed(): Platform<HttpMethods> {
  const own = api({ middlewares: [] });
  let overview: (ctx: Context) => unknown = () => undefined;
  return {
    ...own,
    miss: (ctx) => overview(ctx),
    open(parts) {
      overview = createOverview(parts.routes, "/v1/docs");
      return own.open(parts);
    },
  };
}

testOnBothTransports(
  "GET / of an API without that route lists its routes",
  routes,
  async (call) => {
    const response = await call("GET", "/");
    assert.equal(response.status, 200);
    const { name, version, note, ...rest } = (await response.json()) as Record<string, unknown>; // of any fields
    assert.equal(typeof name, "string");
    assert.deepEqual(rest, { docs: "/v1/docs", routes: ["GET /posts", "GET /v1/docs", "POST /posts"] });
    assert.match(String(note), /in development on this machine only/);
  },
  developed,
);

testOnBothTransports(
  "other misses are 404, and so are requests of other machines",
  routes,
  async (call) => {
    for (const [method, path, headers] of [
      ["GET", "/lost", {}],
      ["POST", "/", {}],
      ["GET", "/", { "x-forwarded-for": "203.0.113.7" }],
    ] as const) {
      const response = await call(method, path, { headers });
      assert.deepEqual([response.status, await response.text()], [404, '{"error":"Not Found"}']);
    }
  },
  developed,
);

testOnBothTransports(
  "a route of the application comes first",
  [...routes, get("/")],
  async (call) => {
    assert.equal(await (await call("GET", "/")).json(), "own");
  },
  developed,
);

const script = `import { api, createApp, defineModule } from "@tenon/core";
const app = await createApp(defineModule({ name: "app" }), api(), { log: { level: "silent" } });
const { url } = await app.listen({ port: 0 });
console.log((await fetch(url)).status);
await app.stop();
`;

test("only tenon dev and a terminal have an overview, and never in production", async () => {
  const args = ["--conditions=@tenon/source", "--input-type=module", "--eval", script];
  for (const [env, status] of [
    [{ TENON_DEV: "start" }, "200\n"],
    [{ TENON_DEV: "restart" }, "200\n"],
    [{}, "404\n"],
    [{ TENON_DEV: "start", NODE_ENV: "production" }, "404\n"],
  ] as const) {
    const { stdout, stderr } = await run(process.execPath, args, { cwd: join(import.meta.dirname, "../.."), env });
    assert.deepEqual([stdout, stderr], [status, ""], JSON.stringify(env));
  }
});
