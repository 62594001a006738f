import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { SessionCookie } from "../src/sessions/session-cookie.ts";
import { cookieName, cookieOf, flashOf, readValue, secret, send, shown, testOnSite } from "./support/session-site.ts";

testOnSite("a browser gets a cookie when it needs one, once", async (site) => {
  const browser = site.browser();
  assert.deepEqual((await browser.get("/plain")).setCookies, []);
  assert.equal((await browser.get("/form")).setCookies.length, 1);
  assert.deepEqual((await browser.get("/form")).setCookies, []);
  assert.deepEqual((await browser.get("/plain")).setCookies, []);
});

testOnSite("an id of a client's own is never adopted", async (site) => {
  const { browser: other } = await site.visitor();
  const id = "A".repeat(43);
  const identity = { id, issued: Date.now(), hasUser: false };
  const ages = { maxAge: 86_400, guestMaxAge: 900 };
  const foreign = new SessionCookie(cookieName, ages, "the secret of another site, long enough too").write(identity);
  const elsewhere = new SessionCookie("other_session", ages, secret).write(identity);
  const own = cookieOf(other);
  for (const planted of [
    id,
    `${id}.${Date.now().toString(36)}`,
    foreign,
    elsewhere,
    `${own.slice(0, -1)}~`,
    `x${own}`,
  ]) {
    const browser = site.browser();
    browser.cookies.set(cookieName, planted);
    const page = await browser.get("/form");
    assert.equal(page.setCookies.length, 1, planted);
    assert.notEqual(cookieOf(browser), planted);
    assert.ok(!cookieOf(browser).startsWith(id), planted);
    await send({ browser, token: shown(page).token ?? "" }, "set=a&value=1");
    const digest = createHash("sha256").update(id).digest("hex");
    assert.ok(!site.store.text.includes(digest), planted);
  }
});

testOnSite(
  "a cookie that ended less than a minute ago changes nothing: the browser may have a new one",
  async (site) => {
    const visitor = await site.visitor();
    const late = site.browser();
    late.cookies.set(cookieName, cookieOf(visitor.browser));
    await send(visitor, "regenerate=1&set=cart&value=book");
    site.pass(59);
    const page = await late.get("/form");
    assert.deepEqual(page.setCookies, []);
    const change = await late.request("POST", "/change?set=a&value=1&flash=x", { form: { _csrf: visitor.token } });
    assert.deepEqual([change.status, change.setCookies], [303, []]);
    assert.deepEqual(await flashOf(late), []);
    assert.equal(await readValue(visitor.browser, "cart"), "book");
    assert.ok(site.log.messages("info").some((line) => line.startsWith("the session had ended")));
  },
);

testOnSite("a cookie that ended more than a minute ago is replaced, or expired where none is needed", async (site) => {
  const visitor = await site.visitor();
  const [reader, writer, former] = [site.browser(), site.browser(), site.browser()];
  for (const browser of [reader, writer, former]) browser.cookies.set(cookieName, cookieOf(visitor.browser));
  await send(visitor, "regenerate=1");
  site.pass(61);
  assert.match((await reader.get("/plain")).setCookies.join(), /; Max-Age=0;/);
  const written = await writer.request("POST", "/change?set=a&value=1", { form: { _csrf: visitor.token } });
  assert.equal(written.setCookies.length, 1);
  assert.equal(await readValue(writer, "a"), "1");
  const token = shown(await former.get("/form")).token ?? "";
  assert.notEqual(cookieOf(former), cookieOf(writer));
  assert.equal((await send({ browser: former, token }, "set=b&value=2")).status, 303);
  assert.equal(await readValue(former, "b"), "2");
});

testOnSite("two logins or logouts at once leave a session that works", async (site) => {
  for (const ending of ["regenerate", "destroy"]) {
    const visitor = await site.visitor();
    await Promise.all([send(visitor, `${ending}=1&flash=first`), send(visitor, `${ending}=1&flash=second`)]);
    assert.equal((await flashOf(visitor.browser)).length, 1, ending);
  }
});

testOnSite("a session in use is renewed, and an unused one expires", async (site) => {
  const [daily, once] = [await site.visitor(), await site.visitor()];
  await send(daily, "regenerate=1&set=a&value=1");
  await send(once, "regenerate=1&set=a&value=1");
  for (let day = 0; day < 4; day++) {
    site.store.takeCalls();
    site.pass(50_000);
    const first = await daily.browser.get("/values/a");
    assert.equal(shown(first).data, "1", String(day));
    assert.equal(first.setCookies.length, 1, String(day));
    assert.ok(site.store.takeCalls().includes("set"), "the store keeps it as well");
    assert.deepEqual((await daily.browser.get("/values/a")).setCookies, []);
  }
  assert.equal(await readValue(once.browser, "a"), null);
  const { setCookies } = await once.browser.get("/form");
  assert.equal(setCookies.length, 1);
  assert.equal((await send(once, "set=a&value=2")).status, 403);
});

testOnSite("a guest's session is kept for 15 minutes of no use, and that of a user for a day", async (site) => {
  const ttls = () => site.store.calls.splice(0).flatMap(({ ttl }) => ttl ?? []);
  const guest = await site.visitor();
  await send(guest, "set=a&value=1&flash=hello");
  assert.deepEqual(ttls(), [900, 900]);
  site.pass(449);
  await guest.browser.get("/values/a");
  assert.deepEqual(ttls(), []);
  site.pass(2);
  await guest.browser.get("/values/a");
  assert.deepEqual(ttls(), [900], "in use, it is kept on");
  await send(guest, "regenerate=1&set=b&value=1");
  assert.deepEqual(ttls(), [86_400, 86_460, 86_400]);
  await send(
    { browser: guest.browser, token: shown(await guest.browser.get("/form")).token ?? "" },
    "destroy=1&flash=gone",
  );
  assert.deepEqual(ttls(), [86_460, 900], "after the logout it is a guest's again");
});

testOnSite("a form may be sent long after it was opened, although nothing is kept so long", async (site) => {
  const guest = await site.visitor();
  site.pass(80_000);
  assert.equal((await send(guest, "set=a&value=1")).status, 303);
});

testOnSite(
  "an ageing cookie of a session that ended is not renewed",
  async (site) => {
    const visitor = await site.visitor();
    const old = site.browser();
    old.cookies.set(cookieName, cookieOf(visitor.browser));
    site.pass(50_000);
    await send(visitor, "regenerate=1");
    for (const path of ["/form", "/token"]) assert.deepEqual((await old.get(path)).setCookies, [], path);
    const other = await site.visitor();
    site.pass(50_000);
    assert.equal((await other.browser.get("/token")).setCookies.length, 1);
  },
  {
    routes: [{ method: "GET", path: "/token", handler: (ctx) => ctx.status(200).send(ctx.get("session").csrfToken()) }],
  },
);

testOnSite(
  "an id that ended long ago is replaced even if a token was made from it, and its form is refused once",
  async (site) => {
    const visitor = await site.visitor();
    const old = site.browser();
    old.cookies.set(cookieName, cookieOf(visitor.browser));
    await send(visitor, "regenerate=1");
    site.pass(61);
    for (const path of ["/token-first", "/token-last"]) {
      const browser = site.browser();
      browser.cookies.set(cookieName, cookieOf(old));
      const page = await browser.get(path);
      assert.equal(page.setCookies.length, 1, path);
      assert.equal(await readValue(browser, "a"), 1, path);
      assert.equal((await send({ browser, token: page.text }, "set=a&value=2")).status, 403, path);
      const again = await browser.get(path);
      assert.deepEqual(again.setCookies, [], path);
      assert.equal((await send({ browser, token: again.text }, "set=a&value=2")).status, 303, path);
      assert.equal(await readValue(browser, "a"), "2", path);
    }
  },
  {
    routes: [
      {
        method: "GET",
        path: "/token-first",
        handler: async (ctx) => {
          const token = ctx.get("session").csrfToken();
          await ctx.get("session").set("a", 1);
          return ctx.status(200).send(token);
        },
      },
      {
        method: "GET",
        path: "/token-last",
        handler: async (ctx) => {
          await ctx.get("session").set("a", 1);
          return ctx.status(200).send(ctx.get("session").csrfToken());
        },
      },
    ],
  },
);

testOnSite(
  "a login with a cookie that has just ended gets a session that works",
  async (site) => {
    const visitor = await site.visitor();
    const second = site.browser();
    second.cookies.set(cookieName, cookieOf(visitor.browser));
    await send(visitor, "set=cart&value=book");
    await send(visitor, "regenerate=1");
    const login = await second.request("POST", "/login", { form: { _csrf: visitor.token } });
    assert.deepEqual([login.status, login.text, login.setCookies.length], [200, "undefined", 1]);
    assert.equal(await readValue(second, "user"), "ada");
    assert.equal(await readValue(second, "cart"), null);
    assert.equal(await readValue(visitor.browser, "cart"), "book");
  },
  {
    routes: [
      {
        method: "POST",
        path: "/login",
        handler: async (ctx) => {
          const cart = await ctx.get("session").get("cart");
          await ctx.get("session").regenerate();
          await ctx.get("session").set("user", "ada");
          return ctx.status(200).send(String(cart));
        },
      },
    ],
  },
);
