import assert from "node:assert/strict";
import { test } from "node:test";
import type { Context } from "@tenon/core";
import { Runs, withServer } from "../support/guard-runs.ts";

test("removing a route keeps its siblings and its other methods (P20, h3 94d0edd7)", () => {
  const runs = new Runs();
  const routes = [runs.route("/a/:id"), runs.route("/a/:id", "PUT"), runs.route("/a/:id/b"), runs.route("/a")];
  return withServer(routes, async (get, app) => {
    assert.equal((await get("/a/1")).status, 200);
    app.routes.remove("GET", "/a/:id");
    assert.equal((await get("/a/1")).status, 404);
    for (const [target, method] of [["/a/1", "PUT"], ["/a/1/b"], ["/a"]] as const) {
      assert.equal((await get(target, method)).status, 200, target);
    }
  });
});

test("an added exact route serves the next request (P22)", () => {
  const returning = (text: string) => () => text;
  return withServer([{ method: "GET", path: "/*", handler: returning("wildcard") }], async (get, app) => {
    for (let round = 0; round < 3; round++) assert.equal((await get("/a/b")).body, '"wildcard"');
    app.routes.add({ method: "GET", path: "/a/b", handler: returning("exact") });
    assert.equal((await get("/a/b")).body, '"exact"');
    app.routes.remove("GET", "/a/b");
    assert.equal((await get("/a/b")).body, '"wildcard"');
  });
});

test("a handler cannot change a cached resolution (P24, h3 a1cf066c)", () => {
  const greedy = (ctx: Context) => {
    const before = [ctx.request().params(), ctx.rest()];
    ctx.request().params().id = "changed";
    (ctx.rest() as string[]).push("changed"); // what plain JavaScript could do
    return before;
  };
  return withServer([{ method: "GET", path: "/a/:id/*", handler: greedy }], async (get) => {
    for (let round = 0; round < 3; round++) {
      assert.deepEqual(JSON.parse((await get("/a/1/x")).body), [{ id: "1", "*": "x" }, ["x"]]);
    }
  });
});
