import assert from "node:assert/strict";
import { test } from "node:test";
import { api, defineModule, type MiddlewareFunction, type Problem } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { type SessionOptions, sessionsModule, WebSessions } from "@tenon/web";
import { LogLines } from "../../../core/test/support/log-lines.ts";
import { rejection, startError } from "../../../core/test/support/start-error.ts";
import { moduleOf } from "../../../core/test/support/transports.ts";
import {
  cookieName,
  cookieOf,
  flashOf,
  readValue,
  secret,
  send,
  shown,
  testOnSite,
  withSite,
} from "../support/session-site.ts";
import { Store, storeModule, WatchedStore } from "../support/watched-store.ts";

const fair = { store: Store, secret };
const stores = storeModule(new WatchedStore());

/** What the start says about these settings. */
async function problemsOf(settings: unknown): Promise<readonly Problem[]> {
  const given = settings as SessionOptions; // as a caller without types would pass it
  const imports = [sessionsModule(stores, given)];
  const error = await startError(defineModule({ name: "app", imports }), {}, { middlewares: [WebSessions] });
  return error.problems;
}

test("a bad setting stops the start", async () => {
  const cases: object[] = [
    { secret: "x".repeat(31) },
    { secret: "" },
    { secret: undefined },
    { cookie: "" },
    { cookie: "a b" },
    { cookie: "a;b" },
    { cookie: 1 },
    { cookie: "__Host-blog" },
    { guestMaxAge: 0 },
    { maxAge: 0 },
    { maxAge: 1.5 },
    { maxAge: Number.NaN },
    { maxAge: "86400" },
    { maxAge: 34_560_001 },
    { sercet: "x" },
  ];
  for (const bad of cases) {
    const problems = await problemsOf({ ...fair, ...bad });
    assert.deepEqual([problems.length, problems[0]?.code], [1, "BAD_OPTION"], JSON.stringify(bad));
  }
});

test("all bad settings are reported at once, and no secret is quoted", async () => {
  const problems = await problemsOf({ store: Store, secret: "hunter2", cookie: "=", maxAge: -1 });
  assert.equal(problems.length, 3);
  assert.ok(!JSON.stringify(problems).includes("hunter2"));
});

test("settings that are not provided are reported", async () => {
  const error = await rejection(createTestApp(moduleOf([]), api({ middlewares: [WebSessions] })));
  assert.equal(error.problems[0]?.code, "UNKNOWN_DEPENDENCY");
  assert.match(error.message, /sessionsModule\(\)/);
});

testOnSite(
  "the cookie is HttpOnly, SameSite=Lax, for the whole site and a day, and not Secure on http",
  async (site) => {
    const [line = ""] = (await site.browser().get("/form")).setCookies;
    assert.match(line, /^tenon_session=[A-Za-z0-9_.-]+; Path=\/; Max-Age=86400; HttpOnly; SameSite=Lax$/);
  },
);

test("on https, also after a trusted proxy, the cookie is Secure with the prefix __Host-, and so is its expiry", async () => {
  const headers = { "x-forwarded-proto": "https" };
  await withSite(
    "socket",
    async (site) => {
      const browser = site.browser();
      const page = await browser.get("/form", { headers });
      assert.match(
        page.setCookies.join(),
        /^__Host-tenon_session=[^;]+; Path=\/; Max-Age=86400; HttpOnly; Secure; SameSite=Lax$/,
      );
      const form = { _csrf: shown(page).token ?? "" };
      const planted = site.browser(); // a cookie without the prefix can come from plain http or from another subdomain
      planted.cookies.set(cookieName, browser.cookies.get(`__Host-${cookieName}`) ?? "");
      assert.equal((await planted.request("POST", "/change?set=a&value=1", { form, headers })).status, 403);
      assert.equal((await browser.request("POST", "/change?set=a&value=1", { form, headers })).status, 303);
      const { setCookies } = await browser.request("POST", "/change?destroy=1", { form, headers });
      assert.match(setCookies.join(), /^__Host-tenon_session=; Path=\/; Max-Age=0; HttpOnly; Secure; SameSite=Lax$/);
    },
    { platform: { trustedProxies: ["127.0.0.1"] } },
  );
  await withSite("socket", async (site) => {
    assert.doesNotMatch((await site.browser().get("/form", { headers })).setCookies.join(), /Secure/);
  });
});

testOnSite(
  "name and lifetime can be set, and a cookie under the default name is then ignored",
  async (site) => {
    const browser = site.browser();
    const page = await browser.get("/form");
    assert.match(page.setCookies.join(), /^blog=[^;]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/);
    await send({ browser, token: shown(page).token ?? "" }, "set=a&value=1");
    assert.equal(await readValue(browser, "a"), "1");
    assert.deepEqual(
      site.store.calls.flatMap(({ ttl }) => ttl ?? []),
      [600],
    );
    const other = site.browser();
    other.cookies.set(cookieName, browser.cookies.get("blog") ?? "");
    assert.equal(await readValue(other, "a"), null);
    site.pass(601);
    assert.equal(await readValue(browser, "a"), null);
  },
  { settings: { cookie: "blog", maxAge: 600 } },
);

testOnSite(
  "responses to requests with the cookie, and those that set it, are not cached, unless the handler decides",
  async (site) => {
    const stranger = site.browser();
    assert.equal((await stranger.get("/plain")).headers.get("cache-control"), null);
    assert.equal((await stranger.get("/form")).headers.get("cache-control"), "no-store");
    for (const path of ["/plain", "/text", "/go", "/nowhere"]) {
      assert.equal((await stranger.get(path)).headers.get("cache-control"), "no-store", path);
    }
    assert.equal((await stranger.request("POST", "/change", { form: {} })).headers.get("cache-control"), "no-store");
    assert.equal((await stranger.get("/cached")).headers.get("cache-control"), "public, max-age=60");
  },
  {
    routes: [
      {
        method: "GET",
        path: "/cached",
        handler: (ctx) => {
          ctx.response().setHeader("cache-control", "public, max-age=60");
          return ctx.status(200).send("text");
        },
      },
    ],
  },
);

const early: MiddlewareFunction = async (ctx, next) => {
  if (ctx.method === "POST") await ctx.get("session").set("early", "kept");
  return next();
};

testOnSite(
  "WebSessions listed twice is one session",
  async (site) => {
    const visitor = await site.visitor();
    const reply = await send(visitor, "regenerate=1&set=a&value=1");
    assert.equal(reply.setCookies.length, 1);
    assert.equal(await readValue(visitor.browser, "a"), "1");
    assert.equal(await readValue(visitor.browser, "early"), "kept");
  },
  { platform: { middlewares: [WebSessions, early, WebSessions] } },
);

testOnSite(
  "other cookies of a response are kept",
  async (site) => {
    const browser = site.browser();
    const { setCookies } = await browser.get("/two");
    assert.deepEqual(
      setCookies.map((line) => line.split("=")[0]),
      ["theme", cookieName],
    );
    assert.notEqual(cookieOf(browser), "");
  },
  {
    routes: [
      {
        method: "GET",
        path: "/two",
        handler: (ctx) => {
          ctx.setCookie("theme", "dark");
          ctx.get("session").csrfToken();
          return ctx.status(200).send("text");
        },
      },
    ],
  },
);

testOnSite(
  "a cookie of the application that has the session's name is logged as a warning",
  async (site) => {
    await site.browser().get("/own");
    assert.deepEqual(site.log.messages("warn"), []);
    await site.browser().get(`/own?name=${cookieName}`);
    assert.deepEqual(site.log.messages("warn"), [
      "the cookie tenon_session is set by the application too: give one of the two another name",
    ]);
  },
  {
    routes: [
      {
        method: "GET",
        path: "/own",
        handler: (ctx) => {
          if (ctx.query("name") !== "") ctx.setCookie("theme", "dark");
          ctx.setCookie(ctx.query("name") || `my_${cookieName}`, "own");
          return ctx.status(200).send("text");
        },
      },
    ],
  },
);

testOnSite("a response to HEAD leaves the messages for the next page", async (site) => {
  const visitor = await site.visitor();
  await send(visitor, "flash=saved");
  assert.equal((await visitor.browser.request("HEAD", "/plain")).status, 200);
  assert.deepEqual(await flashOf(visitor.browser), ["saved"]);
});

test("a change on a platform that does not save sessions is logged as a warning", async () => {
  const log = new LogLines();
  const routes = moduleOf([
    { method: "GET", path: "/set", handler: (ctx) => ctx.get("session").set("a", 1) },
    { method: "GET", path: "/read", handler: async (ctx) => ({ a: (await ctx.get("session").get("a")) ?? null }) },
  ]);
  const module = defineModule({ name: "app", imports: [routes, sessionsModule(stores, fair)] });
  const app = await createTestApp(module, api({ middlewares: [WebSessions] }), { log: log.options });
  try {
    await app.request("GET", "/read");
    assert.deepEqual(log.messages("warn"), []);
    await app.request("GET", "/set");
    assert.deepEqual(log.messages("warn"), [
      "the session was changed and not saved: WebSessions works on the platform web() only",
    ]);
  } finally {
    await app.stop();
  }
});
