import assert from "node:assert/strict";
import { test } from "node:test";
import type { MiddlewareFunction, Routes } from "@tenon/core";
import { WebSessions } from "@tenon/web";
import type { Browser, VisitOptions } from "../support/browser.ts";
import { cookieOf, origin, type Site, type SiteOptions, shown, testOnSite, withSite } from "../support/session-site.ts";

const unsafe = ["POST", "PUT", "PATCH", "DELETE"] as const;
const expired = "This form has expired. Go back, reload the page and try again.";
const foreign = "This request came from another site.";

/** Counts how often a handler ran, and with which method. */
function counted(): { readonly ran: string[]; readonly options: SiteOptions } {
  const ran: string[] = [];
  const routes: Routes = (["GET", "OPTIONS", ...unsafe] as const).map((method) => ({
    method,
    path: "/act",
    handler: (ctx) => {
      ran.push(ctx.method);
      return ctx.status(200).send("done");
    },
  }));
  return { ran, options: { routes } };
}

function multipart(fields: Readonly<Record<string, string>>): VisitOptions {
  const parts = Object.entries(fields).map(
    ([name, value]) => `--edge\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  return { body: `${parts.join("")}--edge--\r\n`, headers: { "content-type": "multipart/form-data; boundary=edge" } };
}

/** Every way to send a token. */
const carriers: Readonly<Record<string, (token: string) => VisitOptions>> = {
  "a urlencoded form": (token) => ({ form: { title: "x", _csrf: token } }),
  "a multipart form": (token) => multipart({ title: "x", _csrf: token }),
  "a form with a header": (token) => ({ form: { title: "x" }, headers: { "x-csrf-token": token } }),
  JSON: (token) => ({ json: { title: "x" }, headers: { "x-csrf-token": token } }),
  "no body": (token) => ({ headers: { "x-csrf-token": token } }),
};

/** The same without a token. */
const bare: Readonly<Record<string, VisitOptions>> = {
  "a urlencoded form": { form: { title: "x" } },
  "a multipart form": multipart({ title: "x" }),
  "a form in capitals": {
    body: "title=x",
    headers: { "content-type": "Application/X-WWW-Form-Urlencoded ; charset=x" },
  },
  JSON: { json: { title: "x" } },
  "plain text": { body: '{"title":"x"}', headers: { "content-type": "text/plain" } },
  "a body without a type": { body: new TextEncoder().encode("{}") },
  "no body": {},
};

test("with a cookie, every unsafe method needs a token of the same session, in a form or a header", async () => {
  const { ran, options } = counted();
  await withSite(
    "fetch",
    async (site) => {
      const { browser, token } = await site.visitor();
      const second = shown(await browser.get("/form")).token ?? "";
      const { token: others } = await site.visitor();
      assert.notEqual(second, token);
      const wrong = ["", "x", token.slice(0, -2), `${token}A`, token.toLowerCase(), others, "A".repeat(86)];
      for (const method of unsafe) {
        for (const [name, carry] of Object.entries(carriers)) {
          for (const bad of wrong) {
            const reply = await browser.request(method, "/act", carry(bad));
            assert.deepEqual([reply.status, reply.text.includes(expired)], [403, true], `${method} ${name} ${bad}`);
          }
          assert.deepEqual(ran, [], `${method} ${name}`);
          for (const good of [token, second]) {
            assert.equal((await browser.request(method, "/act", carry(good))).status, 200, `${method} ${name}`);
          }
          assert.deepEqual(ran.splice(0), [method, method]);
        }
        for (const [name, init] of Object.entries(bare)) {
          assert.equal((await browser.request(method, "/act", init)).status, 403, `${method} ${name}`);
        }
        assert.deepEqual(ran, []);
      }
    },
    options,
  );
});

test("without a cookie a form is refused and other requests pass, because they carry no credentials", async () => {
  const { ran, options } = counted();
  await withSite(
    "fetch",
    async (site) => {
      const { token } = await site.visitor();
      for (const method of unsafe) {
        for (const [name, init] of Object.entries(bare)) {
          const reply = await site.browser().request(method, "/act", init);
          assert.equal(reply.status, name.includes("form") ? 403 : 200, `${method} ${name}`);
        }
        assert.equal(ran.splice(0).length, 4);
        for (const name of ["a urlencoded form", "a multipart form", "a form with a header"]) {
          assert.equal((await site.browser().request(method, "/act", carriers[name]?.(token))).status, 403, name);
        }
        assert.deepEqual(ran, []);
      }
    },
    options,
  );
});

test("any cookie requires the check, because it may be a login", async () => {
  const { ran, options } = counted();
  await withSite(
    "fetch",
    async (site) => {
      for (const [name, init] of Object.entries(bare)) {
        const browser = site.browser();
        browser.cookies.set("login", "ada");
        const reply = await browser.request("POST", "/act", init);
        assert.equal(reply.status, 403, name);
      }
      assert.deepEqual(ran, []);
    },
    options,
  );
});

test("GET, HEAD and OPTIONS need no token, from any origin", async () => {
  const { ran, options } = counted();
  await withSite(
    "fetch",
    async (site) => {
      const { browser } = await site.visitor();
      const headers = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
      for (const method of ["GET", "HEAD", "OPTIONS"]) {
        assert.equal((await browser.request(method, "/act", { headers })).status, 200, method);
      }
      assert.deepEqual(ran, ["GET", "HEAD", "OPTIONS"]);
    },
    options,
  );
});

const ownOrigins = [origin, "https://localhost"];
const foreignOrigins = [
  "null",
  "http://evil.example",
  "http://localhost.evil.example",
  "http://evil.localhost",
  "http://localhost:8080",
  "http://localhost:80",
  "http://localhost/",
  "http://LOCALHOST",
  "http://evil@localhost",
  "http://localhost, http://evil.example",
  "http://localhost http://evil.example",
  "localhost",
  "//localhost",
  "file://localhost",
  "chrome-extension://localhost",
  "http://",
  "http://[",
];
const foreignSites = ["cross-site", "same-site", "Same-Origin", "same-origin, cross-site", "x"];

test("a valid token from another origin is refused, and from this one accepted", async () => {
  const { ran, options } = counted();
  await withSite(
    "fetch",
    async (site) => {
      const { browser, token } = await site.visitor();
      for (const [name, carry] of Object.entries(carriers)) {
        const ask = async (extra: Record<string, string>) => {
          const init = carry(token);
          return browser.request("POST", "/act", { ...init, headers: { ...init.headers, ...extra } });
        };
        for (const own of ownOrigins) assert.equal((await ask({ origin: own })).status, 200, `${name} ${own}`);
        for (const own of ["same-origin", "none"]) {
          assert.equal((await ask({ "sec-fetch-site": own })).status, 200, `${name} ${own}`);
          assert.equal((await ask({ "sec-fetch-site": own, origin })).status, 200, `${name} ${own}`);
        }
        assert.equal(ran.splice(0).length, 6);
        for (const other of foreignOrigins) {
          const reply = await ask({ origin: other });
          assert.deepEqual([reply.status, reply.text.includes(foreign)], [403, true], `${name} ${other}`);
          assert.equal((await ask({ origin: other, "sec-fetch-site": "same-origin" })).status, 403, `${name} ${other}`);
        }
        for (const other of foreignSites) {
          assert.equal((await ask({ "sec-fetch-site": other })).status, 403, `${name} ${other}`);
          assert.equal((await ask({ "sec-fetch-site": other, origin })).status, 403, `${name} ${other}`);
        }
        assert.deepEqual(ran, []);
      }
    },
    options,
  );
});

test("the port is part of the host", async () => {
  const cases = [
    ["localhost:8081", "http://localhost:8081", 303],
    ["localhost:8081", "http://localhost:8082", 403],
    ["localhost:8081", "http://localhost", 403],
    ["localhost:443", "https://localhost", 303],
    ["localhost:80", "https://localhost", 403],
    ["LocalHost", "http://localhost", 303],
    ["[::1]:8081", "http://[::1]:8081", 303],
  ] as const;
  await withSite("fetch", async (site) => {
    const { browser, token } = await site.visitor();
    for (const [host, from, status] of cases) {
      const reply = await browser.request("POST", "/change", {
        form: { _csrf: token },
        headers: { host, origin: from },
      });
      assert.equal(reply.status, status, `${host} ${from}`);
    }
  });
});

test("the forwarded host counts from a trusted proxy, and from no other", async () => {
  const headers = { "x-forwarded-host": "blog.example", origin: "https://blog.example" };
  const ask = async (site: Site) => {
    const { browser, token } = await site.visitor();
    return (await browser.request("POST", "/change", { form: { _csrf: token }, headers })).status;
  };
  await withSite("socket", async (site) => assert.equal(await ask(site), 303), {
    platform: { trustedProxies: ["127.0.0.1"] },
  });
  await withSite("socket", async (site) => {
    assert.equal(await ask(site), 403);
    const refused = site.log.all.find((line) => line.event === "csrf refused");
    assert.match(
      String(refused?.reason),
      /^Origin is https:\/\/blog\.example and the host is 127\.0\.0\.1:\d+\. .*trustedProxies/,
    );
  });
});

for (const transport of ["fetch", "socket"] as const) {
  test(`a method override needs the token too, and never makes an unsafe request safe (${transport})`, async () => {
    const { ran, options } = counted();
    const story = async (site: Site) => {
      const { browser, token } = await site.visitor();
      const ask = async (query: string, form: Record<string, string>) =>
        (await browser.request("POST", `/act?_method=${query}`, { form })).status;
      for (const method of ["PUT", "PATCH", "DELETE", "put", "GET", "HEAD", "OPTIONS"]) {
        assert.equal(await ask(method, {}), 403, method);
        assert.equal(await ask(method, { _csrf: "x" }), 403, method);
      }
      assert.deepEqual(ran, []);
      for (const method of ["PUT", "PATCH", "DELETE"]) assert.equal(await ask(method, { _csrf: token }), 200, method);
      assert.deepEqual(ran, ["PUT", "PATCH", "DELETE"]);
    };
    await withSite(transport, story, options);
  });
}

testOnSite("a wrong header is refused despite a valid field, a second field or a query parameter", async (site) => {
  const { browser, token } = await site.visitor();
  const ask = async (init: VisitOptions, query = "") => (await browser.request("POST", `/change${query}`, init)).status;
  assert.equal(await ask({ form: { _csrf: token }, headers: { "x-csrf-token": "x" } }), 403);
  assert.equal(
    await ask({
      form: [
        ["_csrf", "x"],
        ["_csrf", token],
      ],
    }),
    403,
  );
  assert.equal(await ask({ form: { title: "x" } }, `?_csrf=${token}`), 403);
  assert.equal(await ask({ json: { _csrf: token } }), 403);
  assert.equal(await ask({ headers: { cookie: `tenon_session=${cookieOf(browser)}; _csrf=${token}` } }), 403);
  assert.equal(await ask({ form: { _csrf: token } }), 303);
});

testOnSite("a malformed body is refused before any handler, and one over the limit too", async (site) => {
  const { browser } = await site.visitor();
  const type = "application/x-www-form-urlencoded";
  const ask = (body: string, contentType: string) =>
    browser.request("POST", "/change?set=a&value=1", { body, headers: { "content-type": contentType } });
  assert.equal((await ask("a=%zz", type)).status, 400);
  assert.equal((await ask("--other\r\n", "multipart/form-data; boundary=edge")).status, 400);
  assert.equal((await ask(`a=${"x".repeat(2 ** 20)}`, type)).status, 413);
  assert.equal(site.store.entries.size, 0);
});

/** For one path: the check reads the body before the middlewares of a route run, which could set its limit. */
const largeForms: MiddlewareFunction = (ctx, next) => {
  if (ctx.path === "/change") ctx.limitBody(3 * 2 ** 20);
  return next();
};

testOnSite(
  "a larger form passes when its limit is set before the check",
  async (site) => {
    const { browser, token } = await site.visitor();
    const form = { body: "x".repeat(2 * 2 ** 20), _csrf: token };
    assert.equal((await browser.request("POST", "/change", { form })).status, 303);
    assert.equal((await browser.request("POST", "/nowhere", { form })).status, 413);
  },
  { platform: { middlewares: [largeForms, WebSessions] } },
);

testOnSite("without a living session the body is not read", async (site) => {
  const browser = site.browser();
  browser.cookies.set("tenon_session", "forged");
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  assert.equal((await browser.request("POST", "/change", { body: "a=%zz", headers })).status, 403);
});

testOnSite("paths without a route are checked like any other", async (site) => {
  const { browser, token } = await site.visitor();
  assert.equal((await browser.request("POST", "/nowhere", { form: {} })).status, 403);
  assert.equal((await browser.request("POST", "/nowhere", { form: { _csrf: token } })).status, 404);
});

/** An error page whose layout has a form in it. */
const formOnErrorPages: MiddlewareFunction = async (ctx, next) => {
  try {
    return await next();
  } catch (error) {
    ctx.get("session").csrfToken();
    await ctx.get("session").flash("failed", "refused");
    throw error;
  }
};

testOnSite(
  "the response to a form of another site leaves the visitor's cookie alone, which the browser did not send",
  async (site) => {
    const { browser } = await site.visitor();
    const before = cookieOf(browser);
    const attack = (headers: Record<string, string>) =>
      site.call("POST", "/change", {
        body: "a=1",
        headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
      });
    for (const headers of [{ origin: "https://evil.example" }, { "sec-fetch-site": "cross-site" }]) {
      const reply = await attack(headers);
      assert.equal(reply.status, 403);
      assert.deepEqual(reply.headers.getSetCookie(), []);
    }
    assert.equal(site.store.entries.size, 0);
    assert.equal(cookieOf(browser), before);
    site.pass(50_000); // the cookie is ageing, and would be renewed for a page of this site
    site.store.takeCalls();
    const neighbour = await browser.request("POST", "/change", {
      form: {},
      headers: { "sec-fetch-site": "same-site" },
    });
    assert.deepEqual([neighbour.status, neighbour.setCookies, site.store.takeCalls()], [403, [], []]);
    const same = await attack({});
    assert.deepEqual([same.status, same.headers.getSetCookie().length], [403, 1]);
  },
  { platform: { middlewares: [formOnErrorPages, WebSessions] } },
);

testOnSite(
  "csrf: false lets every form pass",
  async (site) => {
    const headers = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
    assert.equal((await site.browser().request("POST", "/change?set=a&value=1", { form: {}, headers })).status, 303);
  },
  { settings: { csrf: false } },
);

testOnSite("clients that prefer JSON get the refusal as JSON, and the log has the reason", async (site) => {
  const { browser, token } = await site.visitor();
  const accept = { accept: "application/json" };
  const refusals: [VisitOptions, RegExp][] = [
    [{ json: {}, headers: accept }, /^The request has no header x-csrf-token/],
    [{ form: { a: "1" }, headers: accept }, /^The form has no field _csrf/],
    [{ form: { _csrf: `${token.slice(1)}A` }, headers: accept }, /^The token was made for another session/],
    [{ form: {}, headers: { ...accept, cookie: "tenon_session=x" } }, /^The request has no cookie of a living session/],
  ];
  for (const [init, reason] of refusals) {
    const { status, text } = await browser.request("POST", "/change", init);
    assert.deepEqual([status, JSON.parse(text)], [403, { error: expired }]);
    assert.match(String(site.log.all.findLast((line) => line.event === "csrf refused")?.reason), reason);
  }
  assert.ok(!JSON.stringify(site.log.all).includes(token));
});

testOnSite("while the store is down tokens are still checked", async (site) => {
  const { browser, token } = await site.visitor();
  site.store.failure = new Error("the store is down");
  const ask = async (form: Record<string, string>, target: Browser) =>
    (await target.request("POST", "/change", { form })).status;
  assert.equal(await ask({ _csrf: token }, browser), 303); // the handler does not use the store
  assert.equal(await ask({ _csrf: `${token}A` }, browser), 403);
  assert.equal(await ask({}, browser), 403);
  assert.equal(await ask({ _csrf: token }, site.browser()), 403);
});
