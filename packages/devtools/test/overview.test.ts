import assert from "node:assert/strict";
import { api, type Routes } from "@tenon/core";
import { testOnBothTransports } from "../../core/test/support/transports.ts";
import { fromDeveloper, inDevelopment } from "./support/developer.ts";

const get = (path: string) => ({ method: "GET" as const, path, handler: () => "own" });
const routes: Routes = [get("/posts"), { method: "POST", path: "/posts", handler: () => "own" }];

const developed = () =>
  inDevelopment(api({ middlewares: [], docs: { public: true, path: "/v1/docs", document: "/v1/openapi.json" } }));

testOnBothTransports(
  "GET / of an API without that route lists its routes",
  routes,
  async (call) => {
    const response = await call("GET", "/", { headers: fromDeveloper });
    assert.equal(response.status, 200);
    const { name, version, note, ...rest } = (await response.json()) as Record<string, unknown>; // of any fields
    assert.equal(typeof name, "string");
    assert.deepEqual(rest, {
      docs: "/v1/docs",
      routes: ["GET /posts", "POST /posts", "GET /v1/openapi.json", "GET /v1/docs", "GET /v1/docs/*"],
    });
    assert.match(String(note), /to the developer only/);
  },
  developed,
);

testOnBothTransports(
  "other misses are 404, and so are requests without the secret",
  routes,
  async (call) => {
    for (const [method, path, headers] of [
      ["GET", "/lost", fromDeveloper],
      ["POST", "/", fromDeveloper],
      ["GET", "/", {}],
      ["GET", "/", { host: "localhost", "x-tenon-dev": "" }],
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
    assert.equal(await (await call("GET", "/", { headers: fromDeveloper })).json(), "own");
  },
  developed,
);
