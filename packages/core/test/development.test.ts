import assert from "node:assert/strict";
import { test } from "node:test";
import { api, type Context, createApp, defineConfig, defineModule, inject, provide, string, token } from "@tenon/core";
import {
  Development,
  type Incoming,
  isDevPanelSource,
  isLocalIncoming,
  Outgoing,
  type RequestHandler,
  readConfigVariables,
} from "@tenon/core/platform";
import { createTestApp } from "@tenon/core/testing";
import { ApplicationDevelopment } from "../src/development.ts";
import { toBanner } from "../src/http/banner.ts";
import { toDevtoolsUrl } from "../src/http/http-methods.ts";

const Title = token<string>("Title");

class Posts {
  readonly title = inject(Title);
  routes() {
    return [{ method: "GET" as const, path: "/posts", handler: this.index }];
  }
  index(_: Context) {
    return [this.title];
  }
}

class Tools {
  readonly development = inject(Development);
  readonly isInstalled: boolean;
  readonly path = "/_dev";

  constructor() {
    this.isInstalled = this.development.install(this);
  }

  wrap(next: RequestHandler): RequestHandler {
    return {
      handle: (incoming: Incoming) =>
        incoming.path === this.path ? new Outgoing(200, "tools", "text/plain") : next.handle(incoming),
    };
  }
}

const module = defineModule({
  name: "posts",
  declarations: [provide(Title, () => "first"), Posts, Tools],
});

test("developer tools see every request before the application", async () => {
  const app = await createTestApp(module, api({ middlewares: [] }));
  assert.equal(app.get(Tools).isInstalled, true);
  assert.equal(await (await app.request("GET", "/_dev")).text(), "tools");
  assert.deepEqual(await (await app.request("GET", "/posts")).json(), ["first"]);
  const { url } = await app.listen({ port: 0, signals: false });
  assert.equal(await (await fetch(`${url}/_dev`)).text(), "tools");
  await app.stop();
});

test("nothing is installed in production", async (t) => {
  const { NODE_ENV } = process.env;
  t.after(() => {
    if (NODE_ENV === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = NODE_ENV;
  });
  process.env.NODE_ENV = "production";
  const app = await createTestApp(module, api({ middlewares: [] }));
  assert.equal(app.get(Tools).isInstalled, false);
  assert.equal((await app.request("GET", "/_dev")).status, 404);
  await app.stop();
});

test("they learn modules, injections and the places of handlers", async () => {
  const app = await createTestApp(module, api({ middlewares: [] }));
  const { routes, modules, injections } = await app.get(Tools).development.describe();
  assert.deepEqual(
    routes.map(({ path, handler, file }) => [path, handler, file?.endsWith("development.test.ts")]),
    [["/posts", "index", true]],
  );
  assert.deepEqual(
    modules.map(({ name }) => name),
    ["posts"],
  );
  assert.ok(injections.some(({ user, name, from }) => user === "Posts" && name === "Title" && from === "posts"));
  await app.stop();
  await assert.rejects(new ApplicationDevelopment(false).describe(), /before the application was built/);
});

test("a start without developer tools serves the application itself", async () => {
  const app = await createApp(
    defineModule({ name: "plain", declarations: [provide(Title, () => "first"), Posts] }),
    api({ middlewares: [] }),
    { log: { level: "silent" }, onStartError: "throw" },
  );
  assert.equal((await app.fetch(new Request("http://localhost/_dev"))).status, 404);
  await app.stop();
});

test("a request counts as local by its socket, its names and its headers together", () => {
  const local = (given: { peer?: string; host?: string; headers?: Record<string, string> }) =>
    isLocalIncoming({
      peer: "peer" in given ? given.peer : "127.0.0.1",
      host: given.host ?? "localhost:8080",
      headers: () => given.headers ?? {},
    });
  assert.equal(local({}), true);
  assert.equal(local({ peer: "::1", host: "[::1]:8080" }), true);
  assert.equal(isLocalIncoming({ peer: undefined, host: "localhost", headers: () => ({}) }), false);
  assert.equal(local({ peer: "192.168.1.7" }), false);
  assert.equal(local({ host: "rebound.example" }), false);
  assert.equal(local({ headers: { host: "rebound.example" } }), false);
  assert.equal(local({ headers: { "x-forwarded-for": "127.0.0.1" } }), false);
});

test("the banner shows an address by which the tools can be reached", () => {
  const at = (host: string, url = `http://${host}:8080`) => toDevtoolsUrl({ url, host, port: 8080 }, "/_dev");
  assert.equal(at("127.0.0.1"), "http://127.0.0.1:8080/_dev");
  assert.equal(at("0.0.0.0"), "http://localhost:8080/_dev");
  assert.equal(at("::", "https://[::]:8080"), "https://localhost:8080/_dev");
  assert.equal(at("192.168.1.7"), undefined);
  assert.equal(toDevtoolsUrl({ url: "http://127.0.0.1:8080", host: "127.0.0.1", port: 8080 }, undefined), undefined);
  const facts = { url: "http://127.0.0.1:8080", routes: [], docs: undefined, stores: {} };
  assert.equal(
    toBanner({ ...facts, devtools: at("127.0.0.1") }, { name: "shop", version: "" }),
    "\n  shop\n\n  url       http://127.0.0.1:8080\n  devtools  http://127.0.0.1:8080/_dev\n  routes    0\n\n",
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
