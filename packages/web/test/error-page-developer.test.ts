import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createTestApp } from "@tenon/core/testing";
import { web } from "@tenon/web";
import { moduleOf } from "../../core/test/support/transports.ts";
import { setVariables } from "../../core/test/support/variables.ts";
import { fromDeveloper, inDevelopment } from "../../devtools/test/support/developer.ts";
import { type Files, temporaryViews } from "./support/views.ts";

const secret = "postgres://admin:hunter2@db/prod";
const fail = () => {
  throw new Error(secret);
};
const routes = [
  { method: "GET" as const, path: "/boom", handler: fail },
  { method: "DELETE" as const, path: "/boom", handler: fail },
];

interface Started {
  readonly files?: Files;
  readonly trustedProxies?: readonly string[];
}

/** An application that was started for development. */
async function start(t: TestContext, { files = {}, trustedProxies = [] }: Started = {}) {
  const app = await createTestApp(
    moduleOf(routes),
    inDevelopment(web({ views: temporaryViews(files), trustedProxies })),
    { log: { level: "silent" } },
  );
  t.after(() => app.stop());
  const { url } = await app.listen({ port: 0, signals: false });
  return (path: string, init: RequestInit = {}) =>
    fetch(`${url}${path}`, { ...init, headers: { accept: "text/html", ...init.headers } });
}

function assertForClient(text: string, why: string): void {
  assert.match(text, /<h1>(?:Internal Server Error|Not Found)<\/h1>/, why);
  for (const word of [secret, ".ts", "Stack", "Routes", "TestController", "development", "@tenon"]) {
    assert.ok(!text.includes(word), `${why}: the page has ${word}`);
  }
}

const claims = ["x-forwarded-for", "forwarded", "x-real-ip", "x-forwarded-host", "x-tenon-dev", "cookie"];

test("the developer page is shown with the secret only, and no cache keeps it", async (t) => {
  for (const trustedProxies of [[], ["127.0.0.1"]]) {
    const open = await start(t, { trustedProxies });
    for (const path of ["/boom", "/lost"]) {
      const page = await open(path, { headers: fromDeveloper });
      assert.match(await page.text(), /This page is for development/);
      assert.equal(page.headers.get("cache-control"), "no-store");
      assertForClient(await (await open(path)).text(), "without a secret");
      for (const name of claims)
        assertForClient(await (await open(path, { headers: { [name]: "127.0.0.1" } })).text(), name);
    }
  }
});

test("a form that is routed as another method gets no developer page without the secret", async (t) => {
  const open = await start(t);
  const form = { method: "POST", body: new URLSearchParams({ a: "1" }) };
  assertForClient(await (await open("/boom?_method=DELETE", form)).text(), "DELETE");
  const page = await open("/boom?_method=DELETE", { ...form, headers: fromDeveloper });
  assert.match(await page.text(), /This page is for development/);
});

test("other clients get the views of the application, and never errors/development", async (t) => {
  const files = {
    "errors/500.eta": "own 500",
    "errors/404.eta": "<%= missing %>",
    "errors/development.eta": "developer",
  };
  const open = await start(t, { files });
  assert.equal(await (await open("/boom")).text(), "own 500");
  assert.equal(await (await open("/boom", { headers: fromDeveloper })).text(), "developer");
  assertForClient(await (await open("/lost")).text(), "a view that fails");
});

test("without a start for development there is no developer page, whatever `development` and NODE_ENV say", async (t) => {
  for (const NODE_ENV of [undefined, "development", "production"]) {
    setVariables(t, { NODE_ENV, TENON_DEV: undefined, TENON_DEV_SECRET: fromDeveloper["x-tenon-dev"] });
    const platform = web({ views: temporaryViews({}), development: true });
    const app = await createTestApp(moduleOf(routes), platform, { log: { level: "silent" } });
    for (const headers of [{}, fromDeveloper]) {
      const response = await app.request("GET", "/boom", { headers: { accept: "text/html", ...headers } });
      assertForClient(await response.text(), String(NODE_ENV));
    }
    await app.stop();
  }
});

test("`development: false` shows no developer page", async (t) => {
  const platform = inDevelopment(web({ views: temporaryViews({}), development: false }));
  const app = await createTestApp(moduleOf(routes), platform, { log: { level: "silent" } });
  t.after(() => app.stop());
  const response = await app.request("GET", "/boom", { headers: { accept: "text/html", ...fromDeveloper } });
  assertForClient(await response.text(), "development: false");
});
