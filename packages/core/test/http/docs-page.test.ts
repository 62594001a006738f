import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { after, test } from "node:test";
import {
  type App,
  api,
  type Context,
  createApp,
  defineModule,
  dto,
  endpoint,
  type HttpApp,
  type MiddlewareFunction,
  type Platform,
  type Routes,
  string,
} from "@tenon/core";
import { secureHeaders } from "@tenon/core/middleware";
import { createTestApp } from "@tenon/core/testing";
import { web } from "@tenon/web";
import type { Browser, Page } from "playwright-core";
import { runOrFail } from "../../../../test/support/run.ts";
import { findRenderer } from "../../src/http/docs-page.ts";
import { everyKind } from "../openapi/every-kind.ts";
import { findChromium, launchChromium, patiently } from "../support/chromium.ts";

const views = { has: () => false, render: () => "" };

test("one option serves the document and the page", async () => {
  const app = await createTestApp(everyKind, api({ docs: { public: true }, openapi: { title: '<Things> & "more"' } }));
  const document = await app.request("GET", "/openapi.json");
  assert.equal(document.headers.get("content-type"), "application/json; charset=utf-8");
  assert.deepEqual(await document.json(), JSON.parse(JSON.stringify(await app.openapi())));
  const page = await app.request("GET", "/docs");
  assert.equal(page.headers.get("content-type"), "text/html; charset=utf-8");
  assert.match(await page.text(), /<title>&#60;Things&#62; &#38; &#34;more&#34;<\/title>/);
  const redirect = await app.request("GET", "/docs/");
  assert.deepEqual([redirect.status, redirect.headers.get("location")], [302, "/docs"]);
});

test("the page serves what it needs of the renderer and nothing else", async () => {
  const app = await createTestApp(everyKind, api({ docs: { public: true } }));
  for (const name of ["swagger-ui-bundle.js", "swagger-ui.css", "favicon-32x32.png", "docs.js", "docs.css"]) {
    assert.equal((await app.request("GET", `/docs/${name}`)).status, 200, name);
  }
  for (const name of ["package.json", "index.html", "swagger-ui-bundle.js.map", "..%2Fpackage.json", "a/docs.js"]) {
    assert.equal((await app.request("GET", `/docs/${name}`)).status, 404, name);
  }
});

test("without the option there is neither, and other paths can be chosen", async () => {
  const none = await createTestApp(everyKind, api());
  assert.equal((await none.request("GET", "/docs")).status, 404);
  assert.equal((await none.request("GET", "/openapi.json")).status, 404);
  const app = await createTestApp(
    everyKind,
    api({ docs: { public: true, path: "/help/api", document: "/help/api.json" } }),
  );
  assert.equal((await app.request("GET", "/help/api.json")).status, 200);
  assert.match(await (await app.request("GET", "/help/api")).text(), /data-document="api.json"/);
  const only = await createTestApp(everyKind, api({ docs: { public: true, path: false } }));
  assert.equal((await only.request("GET", "/docs")).status, 404);
  assert.equal((await only.request("GET", "/openapi.json")).status, 200);
});

test("without public and guards, both are served only in a process that was started for development", async () => {
  const statusOf = async (docs: boolean | { path: string }, env: NodeJS.Dict<string>) => {
    const before = { ...process.env };
    Object.assign(process.env, env);
    const app = await createTestApp(everyKind, api({ docs }));
    for (const name of Object.keys(env)) delete process.env[name];
    Object.assign(process.env, before);
    const paths = ["/openapi.json", docs === true ? "/docs" : "/help"];
    return Promise.all(paths.map(async (path) => (await app.request("GET", path)).status));
  };
  for (const docs of [true, { path: "/help" }]) {
    assert.deepEqual(await statusOf(docs, {}), [404, 404]);
    assert.deepEqual(await statusOf(docs, { NODE_ENV: "development" }), [404, 404]);
    assert.deepEqual(await statusOf(docs, { TENON_DEV: "1" }), [200, 200]);
    assert.deepEqual(await statusOf(docs, { TENON_DEV: "1", NODE_ENV: "production" }), [404, 404]);
  }
});

test("middlewares guard the document and every file of the page", async () => {
  const refuse: MiddlewareFunction = (ctx) => ctx.status(401).json({ error: "No" });
  const app = await createTestApp(everyKind, api({ docs: { middlewares: [refuse] } }));
  for (const path of ["/openapi.json", "/docs", "/docs/docs.js"]) {
    assert.equal((await app.request("GET", path)).status, 401, path);
  }
});

test("a header that a handler sets is kept: the page has its own policy behind secureHeaders(), other responses do not", async () => {
  const servers = [{ url: "https://api.example.org/v1" }, { url: "/" }];
  const app = await createTestApp(
    everyKind,
    api({ docs: { public: true }, openapi: { servers }, middlewares: [secureHeaders()] }),
  );
  const policy = (await app.request("GET", "/docs")).headers.get("content-security-policy") ?? "";
  assert.match(policy, /script-src 'self';/);
  assert.match(policy, /connect-src 'self' https:\/\/api\.example\.org;/);
  assert.ok(!policy.includes("unsafe"));
  const other = (await app.request("GET", "/openapi.json")).headers.get("content-security-policy");
  assert.equal(other, "default-src 'none'; frame-ancestors 'none'");
});

test("the renderer is found from the application, and its absence names the command", () => {
  assert.equal(findRenderer(import.meta.dirname), findRenderer());
  assert.throws(() => findRenderer(tmpdir()), /not installed: npm install swagger-ui-dist\./);
});

const watching = `
  import { registerHooks } from "node:module";
  const files = [];
  registerHooks({ load: (url, context, next) => (files.push(url), next(url, context)) });
  const { api, createApp, defineModule } = await import("@tenon/core");
  const module = defineModule({ name: "app", declarations: [] });
  const log = { level: "silent" };
  const app = await createApp(module, api(), { log });
  const ofDocument = () => files.filter((url) => /\\/src\\/(openapi|http\\/docs)/.test(url)).map((url) => url.split("/").at(-1));
  const atStart = ofDocument();
  await app.openapi();
  const withDocument = ofDocument();
  await createApp(module, api({ docs: { public: true } }), { log });
  process.stdout.write(JSON.stringify({ atStart, withDocument, withPage: ofDocument() }));
`;

test("an application loads the document and the page only when it uses them", async () => {
  const args = ["--conditions=@tenon/source", "--input-type=module", "--eval", watching];
  // as the script writes it
  const loaded = JSON.parse(await runOrFail(process.execPath, args)) as Record<string, string[]>;
  assert.deepEqual(loaded.atStart, ["docs.ts"], "the options, and routes that load the rest");
  assert.ok(loaded.withDocument?.includes("document.ts"));
  assert.ok(!loaded.withDocument?.includes("docs-page.ts"));
  assert.ok(loaded.withPage?.includes("docs-page.ts"));
});

const executable = findChromium();
if (executable === undefined && process.env.REQUIRE_SERVICES === "1") {
  throw new Error("REQUIRE_SERVICES is set and chromium cannot be found");
}
const skip = executable === undefined ? "chromium was not found on this machine" : false;
const shared: { browser?: Promise<Browser> } = {};
after(async () => (await shared.browser)?.close());

const bearer: MiddlewareFunction = Object.assign(
  function bearer(ctx: Context, next: () => unknown) {
    return ctx.header("authorization") === "Bearer secret-1"
      ? next()
      : ctx.status(401).json({ error: "Invalid token" });
  },
  { contract: { security: { bearer: { type: "http", scheme: "bearer" } as const }, errors: { 401: "Invalid token" } } },
);

class NotesController {
  routes(): Routes {
    return [{ method: "POST", path: "/notes", handler: this.create, middlewares: [bearer] }];
  }
  readonly create = endpoint(
    { body: dto("Note", { text: string("required").example("Buy milk") }), returns: { 201: dto({ saved: string() }) } },
    (_ctx, { body }) => ({ saved: body.text }),
  );
}

const notes = defineModule({ name: "notes", declarations: [NotesController] });

/** Opens the page on a port. Fails on a request to another host and on a complaint of the browser. */
async function withPage(
  platform: Platform<HttpApp>,
  colorScheme: "light" | "dark",
  use: (page: Page, app: App & HttpApp) => Promise<void>,
): Promise<void> {
  assert.ok(executable !== undefined);
  const app = await createApp(notes, platform, { log: { level: "silent" } });
  try {
    const { url, host, port } = await app.listen({ port: 0 });
    shared.browser ??= launchChromium(executable);
    const page = patiently(await (await shared.browser).newPage({ baseURL: url, colorScheme }));
    const hosts = new Set<string>();
    const complaints: string[] = [];
    page.on("request", (request) => {
      if (!request.url().startsWith("data:")) hosts.add(new URL(request.url()).host);
    });
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("console", (message) => {
      // the 401 that a test asks for
      if (message.type() === "error" && !message.text().includes("status of 401")) complaints.push(message.text());
    });
    await page.goto("/docs");
    await page.waitForSelector(".opblock");
    await use(page, app);
    assert.deepEqual([...hosts], [`${host}:${port}`]);
    assert.deepEqual(complaints, []);
    await page.close();
  } finally {
    await app.stop();
  }
}

const protectedApi = () => api({ docs: { public: true }, middlewares: [secureHeaders()] });

for (const scheme of ["light", "dark"] as const) {
  test(`the page follows the browser's ${scheme} scheme`, { skip }, async () => {
    await withPage(protectedApi(), scheme, async (page) => {
      const background = await page.evaluate("getComputedStyle(document.documentElement).backgroundColor");
      assert.equal(background, scheme === "dark" ? "rgb(28, 32, 34)" : "rgb(250, 250, 250)");
      await page.emulateMedia({ colorScheme: scheme === "dark" ? "light" : "dark" });
      await page.waitForSelector(scheme === "dark" ? "html:not(.dark-mode)" : "html.dark-mode");
    });
  });
}

test("the page sends authenticated requests", { skip }, async () => {
  await withPage(protectedApi(), "light", async (page) => {
    await page.click(".opblock-post .opblock-summary-control");
    await page.click(".opblock-post .execute");
    await page.waitForSelector('.live-responses-table .response-col_status:has-text("401")');
    await page.click(".btn.authorize");
    await page.fill(".auth-container input", "secret-1");
    await page.click(".auth-btn-wrapper .authorize");
    await page.click(".auth-btn-wrapper .btn-done");
    await page.click(".opblock-post .execute");
    await page.waitForSelector('.live-responses-table .response-col_status:has-text("201")');
    await page.waitForSelector('.live-responses-table .highlight-code:has-text("\\"saved\\": \\"Buy milk\\"")');
  });
});

test("the page works on the platform of pages, with its headers", { skip }, async () => {
  await withPage(web({ views, docs: { public: true }, development: false }), "light", async (page) => {
    await page.click(".opblock-post .opblock-summary-control");
    await page.waitForSelector('.opblock-post .opblock-body:has-text("Buy milk")');
  });
});
