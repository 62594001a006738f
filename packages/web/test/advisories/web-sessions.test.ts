import assert from "node:assert/strict";
import { test } from "node:test";
import { type Context, dto, type Routes, string } from "@tenon/core";
import { redirect } from "@tenon/web";
import { cookieName, cookieOf, readValue, secret, send, testOnSite, withSite } from "../support/session-site.ts";

testOnSite("a cookie that was not signed with the current secret is ignored (K4)", async (site) => {
  const visitor = await site.visitor();
  await send(visitor, "set=name&value=Ada");
  const good = cookieOf(visitor.browser);
  const [id = "", time = "", signature = ""] = good.split(".");
  const flip = (text: string) => `${text.slice(0, -1)}${text.endsWith("A") ? "B" : "A"}`;
  const forged = [
    `${id}.${time}.${flip(signature)}`,
    `${flip(id)}.${time}.${signature}`,
    `${id}.${time}0.${signature}`,
    `${id}.${time}.`,
    `${id}.${time}`,
    `${id}.${time}.${signature}=`,
    `${id}.${time}.${signature}.${signature}`,
    ` ${good}A`,
    id,
  ];
  for (const cookie of forged) {
    const other = site.browser();
    other.cookies.set(cookieName, cookie);
    assert.equal(await readValue(other, "name"), null, cookie);
  }
  assert.equal(await readValue(visitor.browser, "name"), "Ada");
});

test("a new secret invalidates the cookies of the old one (K4)", () =>
  withSite("fetch", async (before) => {
    const visitor = await before.visitor();
    await send(visitor, "set=name&value=Ada");
    const cookie = cookieOf(visitor.browser);
    const { store } = before;
    await withSite(
      "fetch",
      async (after) => {
        const browser = after.browser();
        browser.cookies.set(cookieName, cookie);
        assert.equal(await readValue(browser, "name"), null);
      },
      { settings: { secret: `${secret} of today` }, store },
    );
  }));

const acted: string[] = [];
const act: Routes = (["POST", "PUT", "PATCH", "DELETE"] as const).map((method) => ({
  method,
  path: "/act",
  handler: (ctx: Context) => {
    acted.push(ctx.method);
    return redirect("/plain");
  },
}));

testOnSite(
  "a form without a token of this session changes nothing, whatever its type and origin (K7, CVE-2024-48913)",
  async (site) => {
    acted.length = 0;
    const { browser, token } = await site.visitor();
    const types = [
      "",
      "text/plain",
      "Text/Plain",
      "application/x-www-form-urlencoded",
      "Application/X-WWW-Form-URLencoded",
      "application/json",
      "multipart/form-data; boundary=x",
    ];
    for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
      for (const type of types) {
        for (const origin of ["", "https://evil.example", "null"]) {
          const headers = { ...(type === "" ? {} : { "content-type": type }), ...(origin === "" ? {} : { origin }) };
          const body = new TextEncoder().encode("title=x"); // bytes: a text would get a type of its own
          const reply = await browser.request(method, "/act", { headers, body });
          assert.equal(
            reply.status,
            type.startsWith("multipart") && origin === "" ? 400 : 403,
            `${method} ${type} ${origin}`,
          );
        }
      }
      const stolen = { headers: { origin: "https://evil.example", "x-csrf-token": token }, form: { _csrf: token } };
      assert.equal((await browser.request(method, "/act", stolen)).status, 403, "not even with a token");
    }
    assert.deepEqual(acted, []);
    assert.equal((await browser.request("POST", "/act", { form: { _csrf: token } })).status, 303);
  },
  { routes: act },
);

const leaving: Routes = [
  { method: "GET", path: "/leave", handler: (ctx) => redirect(ctx.query("to")) },
  { method: "POST", path: "/bound", handler: async (ctx) => ctx.bind(dto({ title: string("required", "min=9") })) },
];

testOnSite(
  "neither a redirect nor a Referer leads to another site (K8, CVE-2025-54420, CVE-2025-8129, CVE-2024-29041, h3 459a1c65)",
  async (site) => {
    for (const to of [
      "//evil.example",
      "/\\evil.example",
      "https:evil.example",
      "https://evil.example",
      "/\t/evil.example",
      "/\u2028",
    ]) {
      const reply = await site.call("GET", `/leave?to=${encodeURIComponent(to)}`);
      assert.equal(reply.headers.get("location"), "/", JSON.stringify(to));
    }
    const { browser, token } = await site.visitor();
    for (const referer of [
      "https://evil.example/form",
      "//evil.example/form",
      "http://localhost@evil.example/",
      "javascript:x",
    ]) {
      const reply = await browser.request("POST", "/bound", {
        form: { title: "x", _csrf: token },
        headers: { referer },
      });
      assert.deepEqual([reply.status, reply.headers.get("location")], [400, null], referer);
    }
  },
  { routes: leaving },
);
