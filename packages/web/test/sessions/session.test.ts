import assert from "node:assert/strict";
import type { Route } from "@tenon/core";
import { view } from "@tenon/web";
import { Session } from "../../src/sessions/session.ts";
import { cookieName, cookieOf, flashOf, readValue, send, shown, testOnSite } from "../support/session-site.ts";

const keepRoute: Route = {
  method: "POST",
  path: "/keep",
  handler: async (ctx) => {
    const form = await ctx.request().form();
    await ctx.get("session").keepForm(form.toRecord(), [{ path: "body", rule: "required", message: "is required" }]);
    return ctx.redirect("/form");
  },
};

testOnSite("a value is returned to the browser that set it, and to no other", async (site) => {
  const [ada, bob] = [await site.visitor(), await site.visitor()];
  assert.notEqual(cookieOf(ada.browser), cookieOf(bob.browser));
  assert.equal((await send(ada, "set=name&value=Ada")).status, 303);
  assert.equal((await send(bob, "set=name&value=Bob")).status, 303);
  assert.equal(await readValue(ada.browser, "name"), "Ada");
  assert.equal(await readValue(bob.browser, "name"), "Bob");
  assert.equal(await readValue(site.browser(), "name"), null);
  await send(bob, "destroy=1");
  assert.equal(await readValue(ada.browser, "name"), "Ada");
});

testOnSite("sixty browsers at once get their own values only", async (site) => {
  const everybody = Array.from({ length: 60 }, async (_, index) => {
    const visitor = await site.visitor();
    await send(visitor, `set=name&value=${index}&flash=hello+${index}`);
    assert.equal(await readValue(visitor.browser, "unknown"), null);
    return { index, browser: visitor.browser };
  });
  for (const { index, browser } of await Promise.all(everybody)) {
    assert.equal(await readValue(browser, "name"), String(index));
  }
});

testOnSite("the store is not used before it is needed", async (site) => {
  const stranger = site.browser();
  for (const path of ["/plain", "/text", "/go", "/nowhere", "/values/x"]) await stranger.get(path);
  await stranger.get("/form");
  assert.deepEqual(site.store.takeCalls(), []);
  const { browser } = await site.visitor();
  for (const path of ["/text", "/go", "/nowhere"]) await browser.get(path);
  assert.deepEqual(site.store.takeCalls(), []);
  await browser.get("/plain");
  assert.deepEqual(site.store.takeCalls(), ["get", "get"]); // the mark of an id that ended, and the state of the page
});

testOnSite("a visitor who only sees forms leaves nothing in the store", async (site) => {
  const { browser } = await site.visitor();
  for (let visits = 0; visits < 5; visits++) await browser.get("/form");
  await browser.get("/values/x");
  assert.equal(site.store.entries.size, 0);
  assert.ok(!site.store.takeCalls().includes("set"));
});

testOnSite("regenerate() keeps the values and the state of the next page, and ends the old cookie", async (site) => {
  const visitor = await site.visitor();
  await send(visitor, "set=cart&value=book&flash=waits");
  const planted = site.browser();
  planted.cookies.set(cookieName, cookieOf(visitor.browser));
  const { setCookies } = await send(visitor, "regenerate=1&set=user&value=ada");
  assert.equal(setCookies.length, 1);
  assert.notEqual(cookieOf(visitor.browser), cookieOf(planted));
  assert.equal(await readValue(planted, "cart"), null);
  assert.deepEqual(await flashOf(planted), []);
  assert.deepEqual(await flashOf(visitor.browser), ["waits"]);
  assert.equal(await readValue(visitor.browser, "cart"), "book");
  assert.equal(await readValue(visitor.browser, "user"), "ada");
});

testOnSite("the token of a form ends with its id", async (site) => {
  const visitor = await site.visitor();
  await send(visitor, "regenerate=1");
  assert.equal((await send(visitor, "set=a&value=1")).status, 403);
  const token = shown(await visitor.browser.get("/form")).token ?? "";
  assert.equal((await send({ browser: visitor.browser, token }, "set=a&value=1")).status, 303);
});

testOnSite("a change after destroy() starts another session, without the values of the first", async (site) => {
  const visitor = await site.visitor();
  await send(visitor, "set=cart&value=book");
  const before = cookieOf(visitor.browser);
  await send(visitor, "destroy=1&flash=You+are+logged+out");
  assert.notEqual(cookieOf(visitor.browser), before);
  assert.equal(await readValue(visitor.browser, "unknown"), null);
  await send({ browser: visitor.browser, token: shown(await visitor.browser.get("/form")).token ?? "" }, "flash=again");
  assert.deepEqual(await flashOf(visitor.browser), ["again"]);
  assert.equal(await readValue(visitor.browser, "cart"), null);
});

testOnSite("a flash message is shown once, after any requests without a page in between", async (site) => {
  const visitor = await site.visitor();
  await send(visitor, "flash=saved");
  await send(visitor, "flash=again");
  const { browser } = visitor;
  await browser.get("/text");
  await browser.get("/go");
  await browser.get("/nowhere");
  await browser.request("HEAD", "/plain");
  const json = await browser.get("/plain", { headers: { accept: "application/json" } });
  assert.equal(json.headers.get("content-type"), "application/json; charset=utf-8");
  assert.deepEqual(await flashOf(browser), ["saved", "again"]);
  assert.deepEqual(await flashOf(browser), []);
  assert.equal(site.store.entries.size, 0);
});

testOnSite(
  "a message of the same request is shown in its page, and never stored",
  async (site) => {
    const { browser, token } = await site.visitor();
    const page = await browser.request("POST", "/here", { form: { _csrf: token } });
    assert.deepEqual(shown(page).flash, [{ kind: "done", text: "right here" }]);
    assert.deepEqual(await flashOf(browser), []);
    assert.ok(!site.store.takeCalls().includes("set"));
  },
  {
    routes: [
      {
        method: "POST",
        path: "/here",
        handler: async (ctx) => {
          await ctx.get("session").flash("done", "right here");
          return view("plain");
        },
      },
    ],
  },
);

testOnSite("unread messages are bounded: the last twenty, of 4,096 characters each", async (site) => {
  const visitor = await site.visitor();
  for (let index = 0; index < 25; index++) await send(visitor, `flash=${index}${"x".repeat(5000)}`);
  const messages = await flashOf(visitor.browser);
  assert.equal(messages.length, 20);
  assert.deepEqual(
    messages.map((text) => [Number.parseInt(text, 10), text.length]),
    Array.from({ length: 20 }, (_, index) => [index + 5, 4096]),
  );
});

testOnSite(
  "a failed form is shown again, once, and its secrets are not kept",
  async (site) => {
    const { browser, token } = await site.visitor();
    const form = [
      ["title", "Tenon"],
      ["tags", "a"],
      ["tags", "b"],
      ["password", "hunter2hunter2"],
      ["_csrf", token],
    ] as const;
    await browser.request("POST", "/keep", { form });
    assert.ok(site.store.text.includes("Tenon"));
    assert.ok(!/hunter2/.test(site.store.text));
    assert.ok(!site.store.text.includes(token));
    const page = shown(await browser.get("/form"));
    assert.deepEqual(page.old, { title: ["Tenon"], body: [], password: [], tags: ["a", "b"] });
    assert.deepEqual(page.errors, [{ path: "body", rule: "required", message: "is required" }]);
    assert.deepEqual(shown(await browser.get("/form")).old.title, []);
    assert.equal(site.store.entries.size, 0);
  },
  { routes: [keepRoute] },
);

testOnSite(
  "of a guest's failed form 4 KiB are kept, of a user's 64 KiB, without the largest fields",
  async (site) => {
    const keep = async (title: string, token: string) => {
      await visitor.browser.request("POST", "/keep", { form: { title, body: "b", _csrf: token } });
      const bytes = Buffer.byteLength(site.store.text);
      const { old, token: next = "" } = shown(await visitor.browser.get("/form"));
      return { bytes, old: [old.title, old.body], next };
    };
    const visitor = await site.visitor();
    const [short, long] = ["t".repeat(3000), "t".repeat(60_000)];
    assert.deepEqual((await keep(short, visitor.token)).old, [[short], ["b"]]);
    const guest = await keep(long, visitor.token);
    assert.deepEqual(guest.old, [[], ["b"]]);
    assert.ok(guest.bytes < 5000, String(guest.bytes));
    await send({ browser: visitor.browser, token: guest.next }, "regenerate=1");
    const { token = "" } = shown(await visitor.browser.get("/form"));
    assert.deepEqual((await keep(long, token)).old, [[long], ["b"]]);
  },
  { routes: [keepRoute] },
);

testOnSite(
  "a failed form is shown again in the page of the same request, and never stored",
  async (site) => {
    const { browser, token } = await site.visitor();
    const page = shown(await browser.request("POST", "/again", { form: { title: "Tenon", _csrf: token } }));
    assert.deepEqual(page.old.title, ["Tenon"]);
    assert.deepEqual(page.errors, [{ path: "body", rule: "required", message: "is required" }]);
    assert.deepEqual(shown(await browser.get("/form")).errors, []);
    assert.ok(!site.store.takeCalls().includes("set"));
  },
  {
    routes: [
      {
        method: "POST",
        path: "/again",
        handler: async (ctx) => {
          const form = await ctx.request().form();
          const issues = [{ path: "body", rule: "required", message: "is required" }];
          await ctx.get("session").keepForm(form.toRecord(), issues);
          return view("form");
        },
      },
    ],
  },
);

testOnSite("names such as __proto__ and constructor are keys like any other", async (site) => {
  const visitor = await site.visitor();
  for (const key of ["__proto__", "constructor", "toString"]) {
    assert.equal(await readValue(visitor.browser, key), null, key);
    await send(visitor, `set=${key}&value=own`);
    assert.equal(await readValue(visitor.browser, key), "own", key);
  }
  assert.equal(({} as Record<string, unknown>).own, undefined);
});

testOnSite(
  "a request reads a value that it has set as later requests do",
  async (site) => {
    const { browser, token } = await site.visitor();
    const { text } = await browser.request("POST", "/read-back", { form: { _csrf: token } });
    assert.deepEqual(JSON.parse(text), { at: "2030-01-01T00:00:00.000Z", gone: "undefined", clean: "undefined" });
  },
  {
    routes: [
      {
        method: "POST",
        path: "/read-back",
        handler: async (ctx) => {
          const session = ctx.get("session");
          await session.set("at", new Date(Date.UTC(2030, 0)));
          await session.set("gone", 1);
          await session.delete("gone");
          const [at, gone, clean] = [await session.get("at"), await session.get("gone"), await session.get("clean")];
          return ctx.status(200).send(JSON.stringify({ at, gone: String(gone), clean: String(clean) }));
        },
      },
    ],
  },
);

testOnSite("a handler that throws keeps its earlier changes, and its response has the cookie", async (site) => {
  const visitor = await site.visitor();
  const before = cookieOf(visitor.browser);
  const reply = await send(visitor, "regenerate=1&set=a&value=1&throw=1");
  assert.equal(reply.status, 500);
  assert.equal(reply.setCookies.length, 1);
  assert.notEqual(cookieOf(visitor.browser), before);
  assert.equal(await readValue(visitor.browser, "a"), "1");
});

testOnSite(
  "values over 64 KiB are refused with a clear error, and values without a JSON form too",
  async (site) => {
    const visitor = await site.visitor();
    for (const query of ["size=65536", "kind=undefined", "kind=function", "kind=bigint"]) {
      const reply = await visitor.browser.request("POST", `/odd?${query}`, { form: { _csrf: visitor.token } });
      assert.equal(reply.status, 500, query);
    }
    assert.equal(site.store.entries.size, 0);
    assert.match(site.log.causes()[0] ?? "", /^The values of a session take 65\d{3} bytes, more than 65536\. Keep /);
    assert.equal(site.log.causes()[1], 'session.set("odd"): a undefined has no JSON form');
  },
  {
    routes: [
      {
        method: "POST",
        path: "/odd",
        handler: async (ctx) => {
          const values: Record<string, unknown> = { function: () => 1, bigint: 1n };
          const odd = ctx.query("size") === "" ? values[ctx.query("kind")] : "x".repeat(Number(ctx.query("size")));
          await ctx.get("session").set("odd", odd);
        },
      },
    ],
  },
);

testOnSite("a failing store is a 500 for reading, writing and ending a session, and recovers", async (site) => {
  const visitor = await site.visitor();
  await send(visitor, "set=a&value=1");
  site.store.failure = new Error("the store is down");
  const { browser, token } = visitor;
  for (const visit of [
    browser.get("/values/a"),
    send(visitor, "set=a&value=2"),
    send(visitor, "flash=x"),
    send(visitor, "regenerate=1"),
    send(visitor, "destroy=1"),
  ]) {
    const { status, text, setCookies } = await visit;
    assert.equal(status, 500);
    assert.ok(!text.includes("the store is down"));
    assert.deepEqual(setCookies, []);
  }
  assert.equal((await browser.request("POST", "/change?set=a&value=3", { form: { _csrf: `${token}x` } })).status, 403);
  assert.equal((await browser.request("POST", "/change?set=a&value=3")).status, 403);
  assert.equal((await browser.get("/text")).status, 200);
  assert.equal(site.log.causes().filter((cause) => cause === "the store is down").length, 5);
  site.store.failure = undefined;
  assert.equal(await readValue(browser, "a"), "1");
});

testOnSite("a handler that throws is a 500 while the store is down, and both errors are logged", async (site) => {
  const visitor = await site.visitor();
  site.store.failure = new Error("the store is down");
  assert.equal((await send(visitor, "set=a&value=1&throw=1")).status, 500);
  assert.deepEqual(site.log.causes(), ["thrown by the handler", "the store is down"]);
  assert.ok(site.log.messages("error").includes("the session could not be saved"));
});

testOnSite(
  "while the store is down a GET page is shown without its messages, with one line in the log",
  async (site) => {
    const visitor = await site.visitor();
    await send(visitor, "flash=waits");
    site.store.failure = new Error("the store is down");
    site.pass(500); // the cookie wants renewal, which needs the store too
    for (const method of ["GET", "HEAD"]) {
      site.log.all.length = 0;
      assert.equal((await visitor.browser.request(method, "/plain")).status, 200, method);
      assert.deepEqual(site.log.causes(), ["the store is down"], method);
    }
    const form = await visitor.browser.get("/form");
    assert.deepEqual([form.status, shown(form).flash, form.setCookies], [200, [], []]);
    const own = await visitor.browser.get("/flash");
    assert.deepEqual(shown(own).flash, [{ kind: "done", text: "own" }], "what needs no store is shown");
    assert.equal((await visitor.browser.get("/token")).status, 200);
    for (const path of ["/set", "/set-caught"]) {
      assert.equal((await visitor.browser.get(path)).status, 500, `${path}: what was set would be lost`);
    }
    const unsafe = { form: { _csrf: shown(form).token ?? "" } };
    assert.equal((await visitor.browser.request("POST", "/page", unsafe)).status, 500);
    site.store.failure = undefined;
    assert.deepEqual(await flashOf(visitor.browser), ["waits"]);
  },
  {
    routes: [
      { method: "POST", path: "/page", handler: () => view("plain") },
      { method: "GET", path: "/token", handler: (ctx) => ctx.status(200).send(ctx.get("session").csrfToken()) },
      {
        method: "GET",
        path: "/flash",
        handler: async (ctx) => {
          await ctx.get("session").flash("done", "own");
          return view("plain");
        },
      },
      {
        method: "GET",
        path: "/set",
        handler: async (ctx) => {
          await ctx.get("session").set("a", 1);
          return view("plain");
        },
      },
      {
        method: "GET",
        path: "/set-caught",
        handler: async (ctx) => {
          await ctx.get("session").set("a", 1);
          await ctx
            .get("session")
            .get("b")
            .catch(() => undefined);
          return view("plain");
        },
      },
    ],
  },
);

testOnSite(
  "after a failure the store is not used again in the same request, not even for the error page",
  async (site) => {
    const visitor = await site.visitor();
    site.store.failure = new Error("the store is down");
    site.store.takeCalls();
    const page = await visitor.browser.get("/caught");
    assert.equal(page.status, 200);
    assert.deepEqual(shown(page).data, ["the store is down", "the store is down", "the store is down"]);
    assert.deepEqual(site.store.takeCalls(), ["get", "get"]);
  },
  {
    routes: [
      {
        method: "GET",
        path: "/caught",
        handler: async (ctx) => {
          const session = ctx.get("session");
          const messageOf = (work: Promise<unknown>) => work.then(String, (error: Error) => error.message);
          const first = await messageOf(session.get("a"));
          return view("plain", [first, await messageOf(session.get("a")), await messageOf(session.set("a", 1))]);
        },
      },
    ],
  },
);

testOnSite(
  "a handler that forgets to await does not crash the process when the store fails",
  async (site) => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => unhandled.push(reason);
    process.on("unhandledRejection", note);
    try {
      const visitor = await site.visitor();
      site.store.failure = new Error("the store is down");
      assert.equal((await visitor.browser.get("/careless")).status, 200);
      await new Promise((resolve) => setImmediate(resolve));
      assert.deepEqual(unhandled, []);
    } finally {
      process.off("unhandledRejection", note);
    }
  },
  {
    routes: [
      {
        method: "GET",
        path: "/careless",
        handler: (ctx) => {
          const session = ctx.get("session");
          void session.get("a");
          void session.set("a", undefined);
          void session.destroy();
          return ctx.status(200).send("text");
        },
      },
    ],
  },
);

testOnSite(
  "a change after the response is refused instead of being lost",
  async (site) => {
    const visitor = await site.visitor();
    const { text } = await visitor.browser.request("POST", "/stream", { form: { _csrf: visitor.token } });
    assert.equal(text, "The session was changed after its response was sent, and cannot be saved");
  },
  {
    routes: [
      {
        method: "POST",
        path: "/stream",
        handler: (ctx) =>
          (async function* () {
            yield ""; // the response starts with the first chunk
            yield await ctx
              .get("session")
              .set("a", 1)
              .then(String, (error: Error) => error.message);
          })(),
      },
    ],
  },
);

testOnSite(
  "destroy() drops the earlier changes of the same request",
  async (site) => {
    const { browser, token } = await site.visitor();
    const page = await browser.request("POST", "/first", { form: { _csrf: token } });
    assert.deepEqual(shown(page).flash, []);
    assert.deepEqual(shown(page).data, "undefined");
    assert.ok(!site.store.text.includes("forgotten"));
    assert.equal(browser.cookies.size, 0);
  },
  {
    routes: [
      {
        method: "POST",
        path: "/first",
        handler: async (ctx) => {
          const session = ctx.get("session");
          await session.set("a", "forgotten");
          await session.flash("done", "forgotten");
          await session.keepForm({ title: "forgotten" }, []);
          await session.destroy();
          return view("plain", String(await session.get("a")));
        },
      },
    ],
  },
);

testOnSite(
  "a message of a HEAD request waits for the next page",
  async (site) => {
    const { browser } = await site.visitor();
    assert.equal((await browser.request("HEAD", "/leave")).status, 200);
    assert.deepEqual(await flashOf(browser), ["left"]);
  },
  {
    routes: [
      {
        method: "GET",
        path: "/leave",
        handler: async (ctx) => {
          await ctx.get("session").flash("done", "left");
          return view("plain");
        },
      },
    ],
  },
);

testOnSite(
  "values that were read before a save are read again after it",
  async (site) => {
    const visitor = await site.visitor();
    await send(visitor, "set=a&value=1");
    const page = await visitor.browser.request("POST", "/save", { form: { _csrf: visitor.token } });
    assert.deepEqual(shown(page).data, ["1", "2"]);
  },
  {
    routes: [
      {
        method: "POST",
        path: "/save",
        handler: async (ctx) => {
          const session = ctx.get("session");
          const before = await session.get("a");
          await session.set("a", "2");
          await Session.finish(session);
          return view("plain", [before, await session.get("a")]);
        },
      },
    ],
  },
);
