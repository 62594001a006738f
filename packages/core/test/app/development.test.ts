import assert from "node:assert/strict";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { runOrFail } from "../../../../test/support/run.ts";
import { temporaryFolder, writeFiles } from "../../../../test/support/temporary-folder.ts";
import { loadDevtools } from "../../src/app/development.ts";
import { toReachableUrl } from "../../src/http/http-app.ts";

/** Stands for the package: it shows what `createApp()` gives it. */
const fakeDevtools = `export const openDevtools = ({ secret, built, introspection, options }) => ({
  wrap: (next) => ({
    handle: async (incoming) => {
      if (incoming.path !== "/_dev" || incoming.header("x-tenon-dev") !== secret) return next.handle(incoming);
      const routes = built.routes.list().map(({ path }) => path);
      const modules = built.graph.nodes.map(({ name }) => name);
      const shown = { options, module: introspection.module, platform: built.platform, routes, modules };
      const { Outgoing } = await import("@tenon/core/platform");
      return new Outgoing(200, JSON.stringify(shown), "application/json");
    },
  }),
  toBanner: ({ url }) => "banner of " + typeof url,
  miss: (ctx, docs) => (ctx.path === "/" ? { docs: docs ?? "none" } : undefined),
  fail: (error, ctx, format) => {
    if (ctx.path === "/broken" && ctx.header("x-tenon-dev") === secret) return explain(error, ctx, format);
  },
  onStart: async () => console.log("tools start"),
  onStop: () => console.log("tools stop"),
});
async function explain(error, ctx, format) {
  const { Outgoing } = await import("@tenon/core/platform");
  return new Outgoing(500, error.message + " " + ctx.path + " " + format.type, "text/plain");
}`;

const main = `import { api, createApp, defineModule, HttpError } from "@tenon/core";
class Posts {
  routes() {
    return [
      { method: "GET", path: "/posts", handler: this.index },
      { method: "GET", path: "/broken", handler: () => { throw new Error("no ink"); } },
      { method: "GET", path: "/gone", handler: () => { throw new HttpError(410, "Gone"); } },
    ];
  }
  index() {
    return ["first"];
  }
  onStart() {
    console.log("posts start");
  }
  onStop() {
    console.log("posts stop");
  }
}
const options = process.argv[2] === undefined ? {} : { devtools: JSON.parse(process.argv[2]) };
const app = await createApp(defineModule({ name: "posts", declarations: [Posts] }), api(), { log: { level: "silent" }, ...options });
const { url } = await app.listen({ port: 0 });
const own = process.env.TENON_DEV_SECRET;
for (const [path, secret] of [["/posts", ""], ["/", ""], ["/_dev", ""], ["/_dev", own], ["/broken", ""], ["/gone", own], ["/broken", own]]) {
  const response = await fetch(url + path, { headers: { "x-tenon-dev": secret } });
  console.log(response.status, await response.text());
}
await app.stop();
`;

/** The lines of an application in a folder with these packages below node_modules/@tenon. */
async function linesOf(
  packages: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>>,
  ...argv: readonly string[]
): Promise<string[]> {
  const folder = temporaryFolder("development");
  writeFiles(folder, { "package.json": '{ "type": "module" }', "main.js": main, ...packages });
  mkdirSync(join(folder, "node_modules/@tenon"), { recursive: true });
  symlinkSync(join(import.meta.dirname, "../.."), join(folder, "node_modules/@tenon/core"));
  const variables = { TENON_DEV_SECRET: "0".repeat(32), NODE_ENV: "", ...env };
  const args = ["--conditions=@tenon/source", "main.js", ...argv];
  return (await runOrFail(process.execPath, args, { cwd: folder, env: variables })).trim().split("\n");
}

const installed = {
  "node_modules/@tenon/devtools/package.json": '{ "type": "module", "exports": "./index.js" }',
  "node_modules/@tenon/devtools/index.js": fakeDevtools,
};
const development = { TENON_DEV: "1" };
const notFound = '404 {"error":"Not Found"}';
const hiddenError = '500 {"error":"Internal Server Error"}';
const gone = '410 {"error":"Gone"}';

test("developer tools start first, see every request, explain errors, learn what the application is made of, and stop last", async () => {
  const [first, second, posts, miss, hidden, shown = "", ...ends] = await linesOf(installed, development, '{"keep":7}');
  assert.deepEqual([first, second, posts], ["tools start", "posts start", '200 ["first"]']);
  assert.deepEqual([miss, hidden], ['200 {"docs":"none"}', notFound]);
  const explained = "500 no ink /broken application/json; charset=utf-8";
  assert.deepEqual(ends, [hiddenError, gone, explained, "posts stop", "tools stop"]);
  assert.deepEqual(JSON.parse(shown.replace("200 ", "")), {
    options: { keep: 7 },
    module: "posts",
    platform: "api",
    routes: ["/posts", "/broken", "/gone"],
    modules: ["posts"],
  });
});

test("developer tools are left out outside development, without their package, and on request", async () => {
  const alone = [
    "posts start",
    '200 ["first"]',
    notFound,
    notFound,
    notFound,
    hiddenError,
    gone,
    hiddenError,
    "posts stop",
  ];
  assert.deepEqual(await linesOf(installed, { NODE_ENV: "development" }), alone);
  assert.deepEqual(await linesOf(installed, { ...development, NODE_ENV: "production" }), alone);
  assert.deepEqual(await linesOf(installed, development, "false"), alone);
  assert.deepEqual(await linesOf({}, development), alone);
});

test("a package of developer tools that cannot be read is reported", async () => {
  const folder = temporaryFolder("development");
  writeFiles(folder, { "node_modules/@tenon/devtools/package.json": '{ "exports": {} }' });
  await assert.rejects(loadDevtools(folder), { code: "ERR_PACKAGE_PATH_NOT_EXPORTED" });
});

test("a browser gets an address that it can open", () => {
  const at = (host: string, url = `http://${host}:8080`) => toReachableUrl({ url, host, port: 8080 });
  assert.equal(at("127.0.0.1"), "http://127.0.0.1:8080");
  assert.equal(at("192.168.1.7"), "http://192.168.1.7:8080");
  assert.equal(at("0.0.0.0"), "http://localhost:8080");
  assert.equal(at("::", "https://[::]:8080"), "https://localhost:8080");
});
