import assert from "node:assert/strict";
import { isIPv4 } from "node:net";
import { networkInterfaces } from "node:os";
import { type TestContext, test } from "node:test";
import { api } from "@tenon/core";
import { web } from "@tenon/web";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { type Asked, ask, startShop } from "../support/shop.ts";

const pages = ["/_dev", "/_dev/requests", "/_dev/requests.json", "/_dev/errors", "/_dev/devtools.css", "/_dev/events"];

async function assertHidden(port: number, why: string, asked: Asked = {}): Promise<void> {
  for (const path of pages) {
    const { status, text } = await ask(port, path, asked);
    assert.deepEqual([status, text], [404, '{"error":"Not Found"}'], `${path} ${why}`);
  }
}

test("the pages respond to a request of this machine", async (t) => {
  const { port } = await startShop(t);
  const first = await ask(port, "/_dev");
  assert.deepEqual([first.status, first.headers.location], [303, "/_dev/requests"]);
  for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `shop.localhost:${port}`]) {
    const { status, text, headers } = await ask(port, "/_dev/requests", { headers: { host } });
    assert.equal(status, 200, host);
    assert.match(text, /<h1>Requests<\/h1>/);
    assert.equal(headers["cache-control"], "no-store");
    const policy = String(headers["content-security-policy"]);
    assert.match(policy, /default-src 'none'/);
    assert.match(policy, /frame-ancestors 'none'/);
    assert.doesNotMatch(policy, /unsafe|http|\*/);
  }
});

test("nothing is there with NODE_ENV=production, and nothing is recorded", async (t) => {
  inProduction(t);
  const file = `${temporaryFolder("devtools")}/requests.jsonl`;
  const { port } = await startShop(t, { file });
  await assertHidden(port, "in production");
});

test("nothing is there for a peer of another address", async (t) => {
  const other = Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .find(({ address, internal }) => !internal && isIPv4(address));
  if (other === undefined) {
    t.skip("this machine has no other address");
    return;
  }
  const { port } = await startShop(t, { host: "0.0.0.0" });
  const asked = { from: other.address, to: other.address, headers: { host: "localhost" } };
  await assertHidden(port, `from ${other.address}`, asked);
  assert.equal((await ask(port, "/_dev/requests")).status, 200);
});

for (const header of ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via", "cf-connecting-ip"]) {
  test(`nothing is there through a proxy that sets ${header}`, async (t) => {
    const { port } = await startShop(t);
    await assertHidden(port, header, { headers: { [header]: "127.0.0.1" } });
  });
}

test("the address that a trusted proxy reports does not count either", async (t) => {
  const { port } = await startShop(t, { platform: api({ middlewares: [], trustedProxies: ["127.0.0.1"] }) });
  await assertHidden(port, "trusted proxy", { headers: { "x-forwarded-for": "127.0.0.1" } });
});

test("nothing is there under the name of another machine (DNS rebinding)", async (t) => {
  const { port } = await startShop(t);
  for (const host of ["evil.example", `evil.example:${port}`, "localhost.evil.example", "127.0.0.1.evil.example"]) {
    await assertHidden(port, host, { headers: { host } });
  }
});

test("nothing is there without a socket", async (t) => {
  const { app } = await startShop(t);
  assert.equal((await app.fetch(new Request("http://localhost/_dev/requests"))).status, 404);
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

function inProduction(t: TestContext): void {
  const { NODE_ENV } = process.env;
  t.after(() => {
    if (NODE_ENV === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = NODE_ENV;
  });
  process.env.NODE_ENV = "production";
}
