import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { dto, string } from "@tenon/core";
import type { RouteInfo } from "@tenon/core/platform";
import { temporaryFolder, writeFiles } from "../../../test/support/temporary-folder.ts";
import { readManifest, toBanner } from "../src/banner.ts";

const manifest = { name: "shop", version: "1.2.0" };
const url = "http://127.0.0.1:8080";

function routesAt(...paths: readonly string[]): RouteInfo[] {
  return paths.map((text) => {
    const [method = "", path = "", guard] = text.split(" ");
    return {
      method: method as "GET",
      path,
      handler: "",
      middlewares: [],
      owner: "",
      controller: "",
      contract: undefined,
      operationId: undefined,
      body: undefined,
      returns: {},
      secured: false,
      module: undefined,
      middlewareContracts:
        guard === "guarded" ? [{ errors: { 401: "Unauthorized" } }] : [{ errors: { 429: "Too Many Requests" } }],
    };
  });
}

const toFacts = (routes: readonly RouteInfo[], docs?: string, stores: Record<string, string> = {}) => ({
  url,
  routes,
  docs,
  link: `${url}/_dev?dev_secret=…`,
  stores,
});
const example = (...paths: readonly string[]) =>
  /curl http:\/\/127\.0\.0\.1:8080(\S+)/.exec(toBanner(toFacts(routesAt(...paths), "/docs"), manifest))?.[1];

test("the banner names the application, its address, its docs page, its stores and a request to try", () => {
  const stores = { database: "sqlite data/app.db", keyValue: "sqlite data/app.db", cache: "memory" };
  assert.equal(
    toBanner(toFacts(routesAt("POST /posts", "GET /posts", "GET /api/reference"), "/api/reference", stores), manifest),
    `
  shop 1.2.0

  url       http://127.0.0.1:8080
  docs      http://127.0.0.1:8080/api/reference
  devtools  http://127.0.0.1:8080/_dev?dev_secret=…
  routes    3
  stores    sqlite data/app.db (database, key-value)
            memory (cache)
  try       curl http://127.0.0.1:8080/posts

`,
  );
  assert.equal(
    toBanner(toFacts([]), { name: "shop", version: "" }),
    "\n  shop\n\n  url       http://127.0.0.1:8080\n  devtools  http://127.0.0.1:8080/_dev?dev_secret=…\n  routes    0\n\n",
  );
});

test("the request to try needs no guard and no parameter, if there is one", () => {
  assert.equal(example("GET /me guarded", "GET /posts/:id", "GET /", "GET /tags"), "/tags");
  assert.equal(example("GET /", "GET /posts/:postId/tags/:tag", "GET /assets/*"), "/posts/1/tags/tag");
  assert.equal(example("GET /", "POST /posts", "GET /docs", "GET /openapi.json"), "/");
  assert.equal(example("GET /health/live", "GET /greetings/:name", "GET /"), "/greetings/name");
  assert.equal(example("GET /health/live", "GET /"), "/");
  assert.equal(example("GET /health/live"), "/health/live");
  assert.equal(example("GET /me guarded", "POST /posts"), undefined);
});

test("the request to try is never a stream, a socket or a download", () => {
  const [news] = routesAt("GET /news");
  const returned = (declared: Partial<RouteInfo>) =>
    toBanner(toFacts([{ ...(news as RouteInfo), ...declared }, ...routesAt("GET /")]), manifest); // there is one
  assert.match(returned({ contract: { live: { kind: "events", sends: {} } } }), /curl \S+:8080\/\n/);
  assert.match(returned({ contract: { live: { kind: "socket", sends: {} } } }), /curl \S+:8080\/\n/);
  assert.match(returned({ returns: { 200: { content: ["image/png"] } } }), /curl \S+:8080\/\n/);
  assert.match(returned({ returns: { 200: dto({ title: string() }) } }), /curl \S+:8080\/news\n/);
  // without a contract, the name decides
  assert.equal(example("GET /posts/events", "GET /orders/export", "GET /ws", "GET /eventful"), "/eventful");
  assert.equal(example("GET /events"), undefined);
});

test("name and version are those of the package that the entry point is in", () => {
  const folder = temporaryFolder("manifest");
  writeFiles(folder, {
    "package.json": '{ "name": "shop\\u001b[2J", "version": "1.2.0" }',
    "src/main.ts": "",
    "broken/package.json": "{",
    "bare/package.json": '{ "version": 7 }',
  });
  assert.deepEqual(readManifest(join(folder, "src/main.ts")), { name: "shop[2J", version: "1.2.0" });
  assert.deepEqual(readManifest(join(folder, "broken/main.ts")), { name: "shop[2J", version: "1.2.0" });
  assert.deepEqual(readManifest(join(folder, "bare/main.ts")), { name: "application", version: "" });
  assert.deepEqual(readManifest("/main.ts"), { name: "application", version: "" });
});
