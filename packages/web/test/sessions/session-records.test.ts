import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Clock, type Context, type Routes } from "@tenon/core";
import { view } from "@tenon/web";
import { emptyPageState } from "../../src/sessions/page-state.ts";
import { SessionRecords } from "../../src/sessions/session-records.ts";
import {
  cookieName,
  cookieOf,
  flashOf,
  readValue,
  type Site,
  send,
  shown,
  testOnSite,
  withSite,
} from "../support/session-site.ts";
import { WatchedStore } from "../support/watched-store.ts";

testOnSite("the store holds digests of ids, which are not cookies", async (site) => {
  const visitor = await site.visitor();
  await send(visitor, "set=a&value=1&flash=hello");
  const [id = ""] = cookieOf(visitor.browser).split(".");
  assert.equal(id.length, 43);
  assert.equal(site.store.entries.size, 2);
  assert.ok(!site.store.text.includes(id));
  assert.ok(site.store.text.includes(createHash("sha256").update(id).digest("hex")));
});

testOnSite("destroy() ends a session at once for every copy of its cookie, and expires the cookie", async (site) => {
  const visitor = await site.visitor();
  await send(visitor, "set=cart&value=book&flash=waits");
  const copy = site.browser();
  copy.cookies.set(cookieName, cookieOf(visitor.browser));
  const { setCookies } = await send(visitor, "destroy=1");
  assert.match(setCookies.join(), new RegExp(`^${cookieName}=; Path=/; Max-Age=0; HttpOnly`));
  assert.equal(visitor.browser.cookies.size, 0);
  assert.equal(await readValue(copy, "cart"), null);
  assert.deepEqual(
    [...site.store.entries.keys()].map((key) => key.replace(/[0-9a-f]{64}/, "…")),
    ["web-session-retired:…"],
  );
  assert.equal(
    site.store.calls.find(({ key, operation }) => key.startsWith("web-session-retired:") && operation === "set")?.ttl,
    86_460,
  );
});

/** Waits inside the handler until the test lets it go on. */
function slowRoute(gate: { readonly reached: () => void; readonly released: Promise<void> }): Routes {
  const handler = async (ctx: Context) => {
    const session = ctx.get("session");
    const cart = await session.get("cart");
    gate.reached();
    await gate.released;
    await session.set("late", "written late");
    await session.flash("done", "flashed late");
    return view("plain", cart ?? null);
  };
  return [{ method: "POST", path: "/slow", handler }];
}

for (const ending of ["destroy", "regenerate"]) {
  test(`a slower request does not restore a session after ${ending}()`, async () => {
    const reached = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    const routes = slowRoute({ reached: reached.resolve, released: released.promise });
    const story = async (site: Site) => {
      const visitor = await site.visitor();
      await send(visitor, "set=cart&value=book");
      const old = site.browser();
      old.cookies.set(cookieName, cookieOf(visitor.browser));
      const slow = old.request("POST", "/slow", { form: { _csrf: visitor.token } });
      await reached.promise;
      await send(visitor, `${ending}=1`);
      released.resolve();
      const late = await slow;
      assert.deepEqual([late.status, shown(late).data, late.setCookies], [200, "book", []]);
      assert.ok(!site.store.text.includes("late"));
      for (const key of ["cart", "late"]) assert.equal(await readValue(old, key), null, key);
      assert.deepEqual(await flashOf(old), []);
      assert.equal(await readValue(visitor.browser, "cart"), ending === "destroy" ? null : "book");
      assert.equal(await readValue(visitor.browser, "late"), null);
    };
    await withSite("socket", story, { routes });
  });

  test(`a request that another instance was saving during ${ending}() does not restore the session`, async () => {
    await withSite("fetch", async (one) => {
      await withSite(
        "socket",
        async (two) => {
          const visitor = await one.visitor();
          await send(visitor, "set=cart&value=book");
          const old = two.browser();
          old.cookies.set(cookieName, cookieOf(visitor.browser));
          const hold = one.store.hold("set", /^web-session:[0-9a-f]+$/);
          const slow = old.request("POST", "/change?set=late&value=written", { form: { _csrf: visitor.token } });
          await hold.reached; // it has found the session alive
          await send(visitor, `${ending}=1`);
          hold.release();
          assert.equal((await slow).status, 303);
          assert.ok(one.store.text.includes("written")); // too late to stop, but it is never read
          for (const site of [one, two]) {
            const copy = site.browser();
            copy.cookies.set(cookieName, cookieOf(old));
            for (const key of ["cart", "late"]) assert.equal(await readValue(copy, key), null, key);
          }
          assert.equal(await readValue(visitor.browser, "late"), null);
          const again = await old.request("POST", "/change?regenerate=1", { form: { _csrf: visitor.token } });
          assert.equal(again.setCookies.length, 1);
          assert.equal(await readValue(old, "late"), null); // nor does it move to a new id
        },
        { store: one.store },
      );
    });
  });
}

testOnSite("requests of one browser that save at the same time keep all changes", async (site) => {
  const visitor = await site.visitor();
  await Promise.all(
    Array.from({ length: 30 }, (_, index) => send(visitor, `set=key${index}&value=${index}&flash=${index}`)),
  );
  for (let index = 0; index < 30; index++) assert.equal(await readValue(visitor.browser, `key${index}`), String(index));
});

testOnSite(
  "deleting the last value empties the store, and deleting nothing starts no session",
  async (site) => {
    const visitor = await site.visitor();
    await send(visitor, "set=a&value=1");
    await send(visitor, "set=b&value=2");
    await send(visitor, "delete=a");
    assert.equal(await readValue(visitor.browser, "a"), null);
    assert.equal(await readValue(visitor.browser, "b"), "2");
    await send(visitor, "delete=b");
    assert.equal(site.store.entries.size, 0);
    site.store.takeCalls();
    assert.deepEqual((await site.browser().get("/delete")).setCookies, []);
    assert.deepEqual(site.store.takeCalls(), []);
  },
  {
    routes: [
      {
        method: "GET",
        path: "/delete",
        handler: async (ctx) => {
          await ctx.get("session").delete("a");
          return view("plain");
        },
      },
    ],
  },
);

testOnSite("only one of many pages that load at once shows the message", async (site) => {
  const visitor = await site.visitor();
  await send(visitor, "flash=saved");
  const pages = await Promise.all(Array.from({ length: 20 }, () => flashOf(visitor.browser)));
  assert.deepEqual(pages.flat(), ["saved"]);
});

test("only one of two instances shows the message", async () => {
  await withSite("fetch", async (one) => {
    await withSite(
      "fetch",
      async (two) => {
        const visitor = await one.visitor();
        await send(visitor, "flash=saved");
        const elsewhere = two.browser();
        elsewhere.cookies.set(cookieName, cookieOf(visitor.browser));
        const hold = one.store.hold("delete", /^web-session-page:/);
        const first = flashOf(visitor.browser);
        await hold.reached; // both have read it now
        const second = await flashOf(elsewhere);
        hold.release();
        assert.deepEqual([...(await first), ...second], ["saved"]);
      },
      { store: one.store },
    );
  });
});

test("values that were read before another request ended the session are gone after regenerate()", async () => {
  const reached = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const handler = async (ctx: Context) => {
    const session = ctx.get("session");
    const before = await session.get("cart");
    reached.resolve();
    await released.promise;
    await session.regenerate();
    return view("plain", [before, (await session.get("cart")) ?? null]);
  };
  await withSite(
    "fetch",
    async (site) => {
      const visitor = await site.visitor();
      await send(visitor, "set=cart&value=book");
      const slow = site.browser();
      slow.cookies.set(cookieName, cookieOf(visitor.browser));
      const page = slow.request("POST", "/slow", { form: { _csrf: visitor.token } });
      await reached.promise;
      await send(visitor, "destroy=1");
      released.resolve();
      assert.deepEqual(shown(await page).data, ["book", null]);
      assert.equal(await readValue(slow, "cart"), null);
    },
    { routes: [{ method: "POST", path: "/slow", handler }] },
  );
});

test("a page that a request has read is not kept in memory after it", async () => {
  setFlagsFromString("--expose-gc");
  const collect: () => void = runInNewContext("gc");
  const records = new SessionRecords(new WatchedStore(), 60, new Clock());
  await records.save("id", { values: new Map(), page: { flash: [{ kind: "done", text: "saved" }] } }, 60);
  const taken = new WeakRef((await records.takePage("id", { peek: true })) ?? {});
  await new Promise((resolve) => setImmediate(resolve)); // a WeakRef holds its target until the end of the turn
  collect();
  assert.equal(taken.deref(), undefined);
});

test("a save that fails lets the next one run", async () => {
  const store = new WatchedStore();
  const records = new SessionRecords(store, 60, new Clock());
  const save = (value: string) =>
    records.save("id", { values: new Map([["a", JSON.stringify(value)]]), page: emptyPageState }, 60);
  const results = await Promise.allSettled([save("x".repeat(65_536)), save("small")]);
  assert.deepEqual(
    results.map(({ status }) => status),
    ["rejected", "fulfilled"],
  );
  assert.ok(store.text.includes("small"));
});
