import assert from "node:assert/strict";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { defineConfig, string } from "@tenon/core";
import { isDevPanelSource, readConfigVariables } from "@tenon/core/internal";
import type { AppDescription, Incoming } from "@tenon/core/platform";
import { runOrFail } from "../../../../test/support/run.ts";
import { temporaryFolder, writeFiles } from "../../../../test/support/temporary-folder.ts";
import { toBanner } from "../../src/http/banner.ts";
import { toReachableUrl } from "../../src/http/http-app.ts";
import { ApplicationDevelopment, loadDevtools } from "../../src/introspection/development.ts";

/** Stands for the package: it shows what `createApp()` gives it. */
const fakeDevtools = `export const openDevtools = ({ development, introspection, options }) => ({
  path: "/_dev",
  wrap: (next) => ({
    handle: async (incoming) => {
      if (incoming.path !== "/_dev" || !development.hasSecret(incoming)) return next.handle(incoming);
      const { routes, modules, injections } = await development.describe();
      const shown = { options, module: introspection.module, routes, modules, injections };
      const { Outgoing } = await import("@tenon/core/platform");
      return new Outgoing(200, JSON.stringify(shown), "application/json");
    },
  }),
  requestPage: () => undefined,
  respondToError: async (error, ctx, format) => {
    const { Outgoing } = await import("@tenon/core/platform");
    return new Outgoing(500, error.message + " " + ctx.path + " " + format.type, "text/plain");
  },
  onStart: async () => console.log("tools start"),
  onStop: () => console.log("tools stop"),
});`;

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
for (const [path, secret] of [["/posts", ""], ["/_dev", ""], ["/_dev", own], ["/broken", ""], ["/gone", own], ["/broken", own]]) {
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
  const [first, second, posts, hidden, shown = "", ...ends] = await linesOf(installed, development, '{"keep":7}');
  assert.deepEqual([first, second, posts, hidden], ["tools start", "posts start", '200 ["first"]', notFound]);
  const explained = "500 no ink /broken application/json; charset=utf-8";
  assert.deepEqual(ends, [hiddenError, gone, explained, "posts stop", "tools stop"]);
  const { options, module, routes, modules } = JSON.parse(shown.replace("200 ", "")) as AppDescription & {
    options: unknown;
    module: string;
  }; // as fakeDevtools writes it
  assert.deepEqual([options, module], [{ keep: 7 }, "posts"]);
  assert.deepEqual(
    routes.map(({ path, file }) => [path, file?.endsWith("main.js")]),
    [
      ["/posts", true],
      ["/broken", true],
      ["/gone", true],
    ],
  );
  assert.deepEqual(
    modules.map(({ name }) => name),
    ["posts"],
  );
});

test("developer tools are left out outside development, without their package, and on request", async () => {
  const alone = ["posts start", '200 ["first"]', notFound, notFound, hiddenError, gone, hiddenError, "posts stop"];
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

test("an application is described after it is built, and knows no developer outside development", async () => {
  const outside = new ApplicationDevelopment(undefined);
  await assert.rejects(outside.describe(), /before the application was built/);
  const incoming = { header: () => "0".repeat(32) } as unknown as Incoming; // one with a secret everywhere
  assert.equal(outside.hasSecret(incoming), false);
});

test("the banner has the link of the developer, at an address that a browser can open", () => {
  const at = (host: string, url = `http://${host}:8080`) => toReachableUrl({ url, host, port: 8080 });
  assert.equal(at("127.0.0.1"), "http://127.0.0.1:8080");
  assert.equal(at("192.168.1.7"), "http://192.168.1.7:8080");
  assert.equal(at("0.0.0.0"), "http://localhost:8080");
  assert.equal(at("::", "https://[::]:8080"), "https://localhost:8080");
  const facts = { url: "http://127.0.0.1:8080", routes: [], docs: undefined, stores: {}, developer: "http://link" };
  assert.equal(
    toBanner({ ...facts, devtools: true }, { name: "shop", version: "" }),
    "\n  shop\n\n  url       http://127.0.0.1:8080\n  devtools  http://link\n  routes    0\n\n",
  );
  assert.equal(
    toBanner({ ...facts, devtools: false }, { name: "shop", version: "" }),
    "\n  shop\n\n  url        http://127.0.0.1:8080\n  developer  http://link\n  routes     0\n\n",
  );
});

test("a source of panels is an object with devPanels()", () => {
  assert.equal(isDevPanelSource({ devPanels: () => [] }), true);
  for (const other of [undefined, null, {}, { devPanels: 1 }, "text"]) assert.equal(isDevPanelSource(other), false);
});

test("a configuration tells its variables without secrets", () => {
  class Config extends defineConfig({ DATABASE_URL: string(), API_TOKEN: string(), NAME: string() }) {}
  const config = Config.read({ env: { DATABASE_URL: "postgres://me:hidden@db/x", API_TOKEN: "hidden" } });
  assert.deepEqual(readConfigVariables(config), [
    { name: "DATABASE_URL", value: "postgres://me:[redacted]@db/x" },
    { name: "API_TOKEN", value: "[redacted]" },
    { name: "NAME", value: undefined },
  ]);
  assert.equal(readConfigVariables({}), undefined);
  assert.equal(readConfigVariables(undefined), undefined);
});
