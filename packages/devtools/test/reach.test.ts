import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { api, createApp } from "@tenon/core";
import { web } from "@tenon/web";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { LogLines } from "../../core/test/support/log-lines.ts";
import { setVariables } from "../../core/test/support/variables.ts";
import type { Recorded } from "../src/record/recorded.ts";
import { developerSecret, forwardTcp, fromDeveloper, startDevelopment } from "./support/developer.ts";
import { type Asked, ask, shopModule, silentLog, startShop } from "./support/shop.ts";

/** The headers of a client without the secret. */
const stranger = { "x-tenon-dev": "" };

const pages = ["/_dev", "/_dev/requests", "/_dev/requests.json", "/_dev/errors", "/_dev/devtools.css", "/_dev/events"];

async function assertHidden(port: number, why: string, asked: Asked = {}): Promise<void> {
  for (const path of pages) {
    const { status, text } = await ask(port, path, asked);
    assert.deepEqual([status, text], [404, '{"error":"Not Found"}'], `${path} ${why}`);
  }
}

test("the pages respond to the header or the cookie of the developer", async (t) => {
  const { port } = await startShop(t);
  const first = await ask(port, "/_dev");
  assert.deepEqual([first.status, first.headers.location], [303, "/_dev/requests"]);
  for (const credentials of [fromDeveloper, { ...stranger, cookie: `tenon-dev-8080=${developerSecret}` }]) {
    const headers = { host: "example.com:8080", "x-forwarded-for": "203.0.113.7", ...credentials };
    const { status, text, headers: received } = await ask(port, "/_dev/requests", { headers });
    assert.equal(status, 200);
    assert.match(text, /<h1>Requests<\/h1>/);
    assert.equal(received["cache-control"], "no-store");
    const policy = String(received["content-security-policy"]);
    assert.match(policy, /default-src 'none'/);
    assert.match(policy, /frame-ancestors 'none'/);
    assert.doesNotMatch(policy, /unsafe|http|\*/);
  }
});

test("a failed request of an API explains itself to the developer only, and links to its record", async (t) => {
  const { port } = await startShop(t, { platform: api({ errors: "problem" }) });
  const bare = { type: "about:blank", title: "Internal Server Error", status: 500, detail: "Internal Server Error" };
  const json = await ask(port, "/broken", { headers: { host: "shop.example" } });
  const { development, ...body } = JSON.parse(json.text) as { development: Record<string, string> }; // as it is written for developers
  assert.deepEqual([json.status, body], [500, bare]);
  assert.equal(json.headers["content-type"], "application/problem+json");
  assert.equal(json.headers["cache-control"], "no-store");
  assert.equal(development.message, "RangeError: the shelf is empty");
  assert.match(development.place ?? "", /^packages\/devtools\/test\/support\/shop\.ts:\d+:\d+$/);
  const [, path = ""] = /^http:\/\/shop\.example(\/_dev\/requests\/\w+)$/.exec(development.request ?? "") ?? [];
  assert.match((await ask(port, path)).text, /\/broken/);

  const page = await ask(port, "/broken", { headers: { accept: "text/html,*/*;q=0.8" } });
  assert.equal(page.headers["content-type"], "text/html; charset=utf-8");
  assert.match(String(page.headers["content-security-policy"]), /style-src 'sha256-/);
  assert.match(page.text, /<h1>the shelf is empty<\/h1>/);
  const [, link = ""] = /<a href="(\/_dev\/requests\/\w+)">This request in the devtools</.exec(page.text) ?? [];
  assert.match((await ask(port, link)).text, /\/broken/);

  const site = await startShop(t, { platform: web({ views: temporaryFolder("views") }) });
  const own = await ask(site.port, "/broken", { headers: { accept: "text/html" } });
  assert.match(
    own.text,
    /<a href="\/_dev\/requests\/\w+">This request in the devtools</,
    "the page of web() links, too",
  );

  for (const accept of ["*/*", "text/html"]) {
    const { status, text, headers } = await ask(port, "/broken", { headers: { ...stranger, accept } });
    assert.deepEqual([status, JSON.parse(text)], [500, bare]);
    assert.match(String(headers["x-request-id"]), /^[\w-]{36}$/);
  }
});

test("nothing is there in a process that was not started for development, and nothing is recorded", async (t) => {
  const file = `${temporaryFolder("devtools")}/requests.jsonl`;
  for (const variables of [{}, { NODE_ENV: "development" }, { TENON_DEV: "1", NODE_ENV: "production" }]) {
    setVariables(t, { TENON_DEV: undefined, NODE_ENV: undefined, TENON_DEV_SECRET: developerSecret, ...variables });
    const app = await createApp(shopModule(), api({ middlewares: [] }), {
      devtools: { file },
      log: silentLog,
      onStartError: "throw",
    });
    t.after(() => app.stop());
    const { port } = await app.listen({ port: 0, signals: false });
    for (const headers of [stranger, fromDeveloper]) await assertHidden(port, JSON.stringify(variables), { headers });
    assert.equal(existsSync(file), false);
  }
});

const claims: Readonly<Record<string, string>>[] = [
  {},
  { host: "localhost" },
  { host: "127.0.0.1:8080" },
  { host: "evil.example" },
  { "x-forwarded-for": "127.0.0.1" },
  { forwarded: "for=127.0.0.1" },
  { "x-real-ip": "127.0.0.1", via: "1.1 proxy" },
  { cookie: "tenon-dev-8080=guess", host: "localhost:8080" },
  { "x-tenon-dev": "guess" },
];

test("nothing is there without the secret, directly or through a TCP forwarder", async (t) => {
  for (const trustedProxies of [[], ["127.0.0.1"]]) {
    const { port } = await startShop(t, { platform: api({ middlewares: [], trustedProxies }) });
    const forwarder = await forwardTcp(t, port);
    for (const at of [port, forwarder]) {
      for (const headers of claims)
        await assertHidden(at, JSON.stringify(headers), { headers: { ...stranger, ...headers } });
    }
    assert.equal((await ask(forwarder, "/_dev/requests")).status, 200);
  }
});

test("a stored key cannot be deleted without the secret", async (t) => {
  const { port } = await startShop(t);
  const form = { "content-type": "application/x-www-form-urlencoded" };
  const { text } = await ask(port, "/_dev/requests");
  const [, token = ""] = /name="_token" value="([^"]+)"/.exec(text) ?? [];
  for (const path of ["/_dev/requests/clear", "/_dev/panels/stores/delete"]) {
    const asked = { method: "POST", headers: { ...form, ...stranger }, body: `_token=${token}` };
    assert.equal((await ask(port, path, asked)).status, 404);
  }
});

test("the secret is in no record", async (t) => {
  const { port } = await startShop(t);
  await ask(port, "/items?dev_secret=old", { headers: { cookie: `a=b; tenon-dev-${port}=${developerSecret}` } });
  await ask(port, "/items", { headers: { cookie: `tenon-dev-${port}=${developerSecret}` } });
  await ask(port, `/items?dev_secret=${developerSecret}`);
  const { text } = await ask(port, "/_dev/requests.json");
  const { requests } = JSON.parse(text) as { requests: { id: string; target: string }[] }; // as the page writes it
  assert.deepEqual(
    requests.map(({ target }) => target),
    ["/items", "/items?dev_secret=[redacted]"],
  );
  const shown: string[] = [];
  for (const { id } of requests) {
    const detail = (await ask(port, `/_dev/requests/${id}.json`)).text;
    assert.ok(!detail.includes(developerSecret));
    shown.push((JSON.parse(detail) as { request: Recorded }).request.request?.headers.cookie ?? "none"); // as above
  }
  assert.deepEqual(shown, ["none", "a=[redacted]"]);
});

test("a request for the pages without the secret is explained once in the log", async (t) => {
  startDevelopment(t);
  const log = new LogLines();
  const app = await createApp(shopModule(), api({ middlewares: [] }), { log: log.options, devtools: { file: false } });
  t.after(() => app.stop());
  const { port } = await app.listen({ port: 0, signals: false });
  for (let count = 0; count < 3; count++) await ask(port, "/_dev", { headers: stranger });
  const lines = log.messages("info").filter((line) => line.startsWith("/_dev opens with the link in the banner"));
  assert.equal(lines.length, 1);
});

test("a page of another site, or of another port, can load nothing", async (t) => {
  const { port } = await startShop(t);
  for (const site of ["cross-site", "same-site"]) {
    for (const [mode, dest] of [
      ["no-cors", "script"],
      ["no-cors", "image"],
      ["cors", "empty"],
      ["navigate", "iframe"],
    ]) {
      const headers = { "sec-fetch-site": site, "sec-fetch-mode": mode ?? "", "sec-fetch-dest": dest ?? "" };
      assert.equal((await ask(port, "/_dev/requests.json", { headers })).status, 403, `${site} ${mode} ${dest}`);
    }
    const link = { "sec-fetch-site": site, "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
    assert.equal((await ask(port, "/_dev/requests", { headers: link })).status, 200, `${site} link`);
  }
});

test("nothing changes without the token of the form, and none from another site", async (t) => {
  const { port } = await startShop(t);
  await ask(port, "/items");
  const { text } = await ask(port, "/_dev/requests");
  const [, token = ""] =
    /action="\/_dev\/requests\/clear">\s*<input type="hidden" name="_token" value="([^"]+)"/.exec(text) ?? [];
  assert.notEqual(token, "");
  const form = { "content-type": "application/x-www-form-urlencoded" };
  const clear = (body: string, headers: Record<string, string> = {}) =>
    ask(port, "/_dev/requests/clear", { method: "POST", headers: { ...form, ...headers }, body });
  assert.equal((await clear("")).status, 403);
  assert.equal((await clear("_token=guess")).status, 403);
  assert.equal((await clear(`_token=${token}`, { "sec-fetch-site": "cross-site" })).status, 403);
  assert.equal((await clear(`_token=${token}`, { "sec-fetch-site": "same-site" })).status, 403);
  assert.equal((await clear(`_token=${token}`, { origin: "http://evil.example" })).status, 403);
  const other = await ask(port, "/_dev/panels/jobs/pause", {
    method: "POST",
    headers: form,
    body: `_token=${token}&queue=default`,
  });
  assert.equal(other.status, 403, "the token of another form");
  assert.match((await ask(port, "/_dev/requests")).text, /\/items/);
  assert.equal((await clear(`_token=${token}`)).status, 303);
  assert.doesNotMatch((await ask(port, "/_dev/requests")).text, /\/items/);
});

test("the middlewares, error pages and method overrides of the application do not apply to the pages", async (t) => {
  const platform = web({
    views: temporaryFolder("views"),
    middlewares: [
      () => {
        throw new Error("refused");
      },
    ],
  });
  const { port } = await startShop(t, { platform });
  assert.equal((await ask(port, "/items")).status, 500);
  assert.equal((await ask(port, "/_dev/requests")).status, 200);
  assert.equal((await ask(port, "/_dev/nothing")).status, 404);
});
