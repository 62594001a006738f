import assert from "node:assert/strict";
import { test } from "node:test";
import { BindError, type Context, HttpError, type Routes } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { type Session, view, web } from "@tenon/web";
import { type Call, moduleOf, testOnBothTransports } from "../../../core/test/support/transports.ts";
import { testOnSite } from "../../../web/test/support/session-site.ts";
import { type Files, temporaryViews } from "../../../web/test/support/views.ts";
import { developerSecret, fromDeveloper, inDevelopment } from "../support/developer.ts";

const get = (path: string, handler: (ctx: Context) => unknown) => ({ method: "GET" as const, path, handler });

const sessionOf = (ctx: Context) => ctx.get("session") as Session; // WebSessions sets it

function explode(): never {
  throw new TypeError("the <fuse> burned"); // the line that the page highlights
}

const routes: Routes = [
  get("/boom/:id", function boom() {
    explode();
  }),
  get("/caused", () => {
    throw new Error("could not list", { cause: new RangeError("out of rows") });
  }),
  get("/many", () => {
    throw new AggregateError([new RangeError("first of them"), "second of them"], "all failed");
  }),
  get("/circle", () => {
    const inner = new RangeError("the inner one");
    inner.cause = new Error("the outer one", { cause: inner });
    throw inner.cause;
  }),
  get("/flood", () => {
    const all = Array.from({ length: 20 }, (_, index) => new Error(`number ${index} of them`));
    throw new AggregateError(all, "all failed");
  }),
  get("/nothing", () => {
    throw undefined;
  }),
  get("/object", () => {
    throw { code: 7, password: "hunter2", inner: { why: "full" } };
  }),
  get("/odd-cause", (ctx) => {
    throw new Error("odd", { cause: ctx.query("null") === "" ? { reason: "tired" } : null });
  }),
  { method: "POST", path: "/form", handler: async (ctx) => (await ctx.request().form()).get("a") },
  get("/text", () => {
    throw "just a text";
  }),
  get("/view", () => view("list", {})),
  get("/missing", () => view("lists", {})),
  get("/gone", () => {
    throw new HttpError(410, "Gone for good");
  }),
  get("/bind", () => {
    throw new BindError([
      { path: "title", rule: "required", message: "is required" },
      { path: "", rule: "schema", message: "is not a post" },
    ]);
  }),
  get("/returned", () => ({ error: "Taken", status: 409 })),
];

const platform = (files: Files = {}) => {
  const views = temporaryViews({ "list.eta": "<ul>\n<li>\n<%= data.author.name %>", ...files });
  return () => inDevelopment(web({ views }));
};

/** Not as they are, because the page shows the source of this test. */
const [password, secretToken] = ["2retnuh", "p0t"].map((text) => [...text].reverse().join("")) as [string, string]; // a pair, as above

async function visit(call: Call, path: string, headers: Record<string, string> = {}) {
  const response = await call("GET", path, { headers: { accept: "text/html", ...fromDeveloper, ...headers } });
  return { status: response.status, text: await response.text() };
}

testOnBothTransports(
  "in development a failed page shows the error, its source, the stack and the request",
  routes,
  async (call) => {
    const { status, text } = await visit(call, `/boom/7?q=x&token=${secretToken}`, {
      authorization: `Bearer ${password}`,
      cookie: `login=${password}`,
      "x-api-key": password,
      "x-odd": "<b>odd</b>",
    });
    assert.equal(status, 500);
    assert.match(text, /<p class="status">500 TypeError<\/p>\n<h1>the &lt;fuse&gt; burned<\/h1>/);
    assert.match(text, /GET \/boom\/7 → TestController\.boom \(\/boom\/:id\)/);
    assert.match(
      text,
      /<details open><summary><code>[^<]*developer-page\.test\.ts:\d+:\d+<\/code> <span class="dim">in explode</,
    );
    assert.match(text, /<details><summary><code>[^<]*<\/code> <span class="dim">in TestController\.boom</);
    assert.match(text, /<a href="vscode:\/\/file\/[^"]*developer-page\.test\.ts:\d+:\d+">Open in the editor<\/a>/);
    assert.match(
      text,
      /<span class="hit"><span class="dim">\d+<\/span> {4}<span class="word">throw<\/span> <span class="word">new<\/span> TypeError\(<span class="text">&quot;the &lt;fuse&gt; burned&quot;<\/span>\);/,
    );
    assert.match(text, /<details class="others"><summary>\d+ frames of Node, the framework and packages<\/summary>/);
    assert.match(
      text,
      /<textarea[^>]*>\n500 GET \/boom\/7 → TestController\.boom\n\nTypeError: the &lt;fuse&gt; burned\n/,
    );
    assert.match(text, /<h2>Path parameters<\/h2><table><tbody><tr><th scope="row">id<\/th><td>7<\/td>/);
    assert.match(text, /<th scope="row">q<\/th><td>x<\/td>/);
    assert.match(text, /<th scope="row">x-odd<\/th><td>&lt;b&gt;odd&lt;\/b&gt;<\/td>/);
    for (const name of ["authorization", "cookie", "x-api-key", "token"]) {
      assert.ok(text.includes(`<th scope="row">${name}</th><td>[redacted]</td>`), name);
    }
    assert.ok(!text.includes(password) && !text.includes(secretToken));
    assert.equal(text.match(/<script/g)?.length, 2, "the one that copies the text, and the one that reloads");
    for (const name of ["x-tenon-dev", "cookie"]) assert.ok(!text.includes(developerSecret), name);
  },
  platform(),
);

testOnBothTransports(
  "a view that fails is shown with its own file and line, a missing one with the nearest name",
  routes,
  async (call) => {
    const failed = (await visit(call, "/view")).text;
    assert.match(failed, /<h1>[^<]*list\.eta:3: Cannot read properties of undefined/);
    assert.match(failed, /<details open><summary><code>[^<]*list\.eta:3<\/code><\/summary>/);
    assert.match(failed, /<span class="hit"><span class="dim">3<\/span> {2}&lt;%= data\.author\.name %&gt;<\/span>/);
    assert.match(failed, /<h2>Caused by<\/h2><p>TypeError: Cannot read/);
    assert.match(
      (await visit(call, "/missing")).text,
      /There is no view &quot;lists&quot; in [^<]*\. Did you mean &quot;list&quot;\?/,
    );
  },
  platform(),
);

testOnBothTransports(
  "causes are shown, and so is a thrown value that is not an error",
  routes,
  async (call) => {
    const { text } = await visit(call, "/caused");
    assert.match(text, /<h1>could not list<\/h1>/);
    assert.match(text, /<h2>Caused by<\/h2><p>RangeError: out of rows<\/p><details><summary><code>/);
    assert.match((await visit(call, "/text")).text, /<h1>the text &quot;just a text&quot; was thrown<\/h1>/);
  },
  platform(),
);

testOnBothTransports(
  "the errors of an AggregateError are shown one by one, and thrown objects with their content but without secrets",
  routes,
  async (call) => {
    const { text } = await visit(call, "/many");
    assert.match(text, /<h1>all failed<\/h1>/);
    assert.match(text, /<h2>Caused by<\/h2><p>RangeError: first of them<\/p><details><summary><code>/);
    assert.match(text, /<h2>Caused by<\/h2><p>the text &quot;second of them&quot;<\/p>/);
    assert.match((await visit(call, "/nothing")).text, /<h1>undefined was thrown<\/h1>/);
    const object = (await visit(call, "/object")).text;
    assert.match(object, /<h1>an object {[^<]*code: 7,[^<]*why: &#39;full&#39;[^<]*} was thrown<\/h1>/);
    assert.ok(!object.includes("null prototype") && !/<h1>[^<]*hunter2/.test(object));
    assert.match((await visit(call, "/odd-cause")).text, /<p>an object { reason: &#39;tired&#39; }<\/p>/);
    assert.match((await visit(call, "/odd-cause?null=1")).text, /<h2>Caused by<\/h2><p>null<\/p>/);
  },
  platform(),
);

testOnBothTransports(
  "errors that cause each other are shown once each, and of many the first ten",
  routes,
  async (call) => {
    const circle = (await visit(call, "/circle")).text;
    assert.match(circle, /<h1>the outer one<\/h1>/);
    assert.deepEqual(circle.match(/<h2>Caused by<\/h2><p>[^<]*/g), ["<h2>Caused by</h2><p>RangeError: the inner one"]);
    const flood = (await visit(call, "/flood")).text;
    assert.equal(flood.match(/<h2>Caused by<\/h2>/g)?.length, 9, "and the one that gathers them");
    assert.ok(flood.includes(": number 8 of them</p>") && !flood.includes(": number 9 of them</p>"));
  },
  platform(),
);

testOnBothTransports(
  "tokens in the Referer are redacted too",
  routes,
  async (call) => {
    const referer = "http://localhost/reset?page=2&token=t0p&reset%5Ftoken=t1p&off%=5&%token=t3p#access_token=t2p";
    const { text } = await visit(call, "/caused", { referer });
    const clean =
      "http://localhost/reset?page=2&amp;token=[redacted]&amp;reset%5Ftoken=[redacted]&amp;off%=5&amp;%token=[redacted]#access_token=[redacted]";
    assert.ok(text.includes(`<td>${clean}</td>`), text);
  },
  platform(),
);

testOnBothTransports(
  "a form that is too large shows the limit that it exceeds, to developers only",
  routes,
  async (call) => {
    const several = (count: number, file: string) => {
      const form = new FormData();
      for (let index = 0; index < count; index++) form.append("f", new Blob([file]), "f.txt");
      return form;
    };
    const cases: readonly [body: FormData | URLSearchParams, reason: RegExp][] = [
      [new URLSearchParams("a&b&c&d"), /The form has more fields and files than limits\.formParts, 3\./],
      [several(3, "x"), /The form has more files than limits\.files, 2\./],
      [several(1, "x".repeat(11)), /A file has more bytes than limits\.fileSize, 10\./],
      [
        new URLSearchParams({ a: "x".repeat(5000) }),
        /The body is larger than limits\.body, or than bodyLimit\(\) allows\./,
      ],
    ];
    for (const [body, reason] of cases) {
      const page = await call("POST", "/form", { body, headers: fromDeveloper });
      assert.equal(page.status, 413);
      const text = await page.text();
      assert.match(text, reason);
      assert.match(text, /<h2>Limits of web\(\)<\/h2><table><tbody><tr><th scope="row">body<\/th><td>4096<\/td>/);
      const json = await call("POST", "/form", { body, headers: { accept: "application/json", ...fromDeveloper } });
      assert.equal(await json.text(), '{"error":"Payload Too Large"}');
    }
    assert.ok(!(await visit(call, "/gone")).text.includes("<h2>Limits of web()"));
  },
  () => inDevelopment(web({ views: temporaryViews({}), limits: { body: 4096, formParts: 3, files: 2, fileSize: 10 } })),
);

test("no heading of the page is wider than a narrow window", async () => {
  const app = await createTestApp(moduleOf(routes), platform()(), { log: { level: "silent" } });
  const text = await (await app.request("GET", "/boom/1", { headers: fromDeveloper })).text();
  for (const element of ["h1", "h2", "p"]) {
    assert.match(text, new RegExp(`^${element} {.*overflow-wrap: anywhere`, "m"), element);
  }
  await app.stop();
});

testOnBothTransports(
  "an error without a view of the application is explained: a 404 with all routes, a body with its issues",
  routes,
  async (call) => {
    const lost = await visit(call, "/lost");
    assert.equal(lost.status, 404);
    assert.match(lost.text, /GET \/lost matched no route/);
    assert.match(
      lost.text,
      /<th scope="row">GET \/boom\/:id<\/th><td>TestController \(module &quot;test&quot;\)<\/td>/,
    );
    const gone = await visit(call, "/gone");
    assert.equal(gone.status, 410);
    assert.match(gone.text, /<h1>Gone for good<\/h1>/);
    assert.ok(!gone.text.includes("<h2>Routes</h2>"));
    const bound = await visit(call, "/bind");
    assert.equal(bound.status, 400);
    assert.match(bound.text, /<th scope="row">title<\/th><td>is required \(required\)<\/td>/);
    assert.match(bound.text, /<th scope="row">\(body\)<\/th><td>is not a post \(schema\)<\/td>/);
    const returned = await visit(call, "/returned");
    assert.equal(returned.status, 409);
    assert.match(returned.text, /<p class="status">409 Taken<\/p>\n<h1>Taken<\/h1>/);
    assert.ok(!returned.text.includes("<h2>Stack</h2>"));
  },
  platform(),
);

testOnBothTransports(
  "the application's error views are used in development too, except from 500 on",
  routes,
  async (call) => {
    assert.deepEqual(await visit(call, "/lost"), { status: 404, text: "own 404" });
    assert.deepEqual(await visit(call, "/gone"), { status: 410, text: "own" });
    assert.match((await visit(call, "/caused")).text, /<h1>could not list<\/h1>/);
  },
  platform({ "errors/404.eta": "own 404", "errors/error.eta": "own", "errors/500.eta": "own 500" }),
);

testOnBothTransports(
  "the view errors/development replaces the built-in page, which is shown when that view fails",
  routes,
  async (call) => {
    assert.deepEqual(await visit(call, "/caused"), {
      status: 500,
      text: "500 could not list|out of rows /caused developer-page.test.ts",
    });
    assert.match((await visit(call, "/text")).text, /<h1>the text &quot;just a text&quot; was thrown<\/h1>/);
  },
  platform({
    "errors/development.eta":
      "<%= data.status %> <%= data.errors.map((e) => e.message).join('|') %> <%= data.request.path %> <%= data.source.file.split('/').at(-1) %>",
  }),
);

testOnBothTransports(
  "in development an error view that fails shows why, with the status of its page",
  routes,
  async (call) => {
    const { status, text } = await visit(call, "/lost");
    assert.equal(status, 404);
    assert.match(text, /<h1>[^<]*404\.eta:1: missing is not defined<\/h1>/);
  },
  platform({ "errors/404.eta": "<%= missing %>" }),
);

testOnBothTransports(
  "a developer who prefers JSON reads the error, its causes and its place; another client does not",
  routes,
  async (call) => {
    const ask = async (path: string, headers: Record<string, string>) => {
      const response = await call("GET", path, { headers: { accept: "application/json", ...headers } });
      return { status: response.status, text: await response.text() };
    };
    const { status, text } = await ask("/caused", fromDeveloper);
    const { development, ...body } = JSON.parse(text) as { development: Record<string, unknown> }; // as the page writes it
    assert.deepEqual([status, body], [500, { error: "Internal Server Error" }]);
    const { place, ...others } = development;
    assert.match(String(place), /^packages\/devtools\/test\/errors\/developer-page\.test\.ts:\d+:\d+$/);
    assert.deepEqual(others, { message: "Error: could not list", causes: ["RangeError: out of rows"] });
    assert.deepEqual(await ask("/boom/1", {}), { status: 500, text: '{"error":"Internal Server Error"}' });
    assert.deepEqual(await ask("/gone", fromDeveloper), { status: 410, text: '{"error":"Gone for good"}' });
  },
  platform(),
);

testOnBothTransports(
  "the fields of a form and of JSON are shown without secrets, and other bodies are not",
  [{ method: "POST", path: "/fail", handler: explode }],
  async (call) => {
    const send = async (body: string, type: string) => {
      const headers = { accept: "text/html", "content-type": type, ...fromDeveloper };
      const response = await call("POST", "/fail", { body, headers });
      assert.equal(response.status, 500);
      return response.text();
    };
    const form = await send("title=One&password=hunter2&code=123456&tag=a&tag=b", "application/x-www-form-urlencoded");
    assert.match(form, /<h2>Body<\/h2><table><tbody><tr><th scope="row">title<\/th><td>One<\/td>/);
    assert.ok(form.includes('<th scope="row">password</th><td>[redacted]</td>'));
    assert.ok(form.includes('<th scope="row">code</th><td>[redacted]</td>'));
    assert.ok(form.includes('<th scope="row">tag</th><td>[&quot;a&quot;,&quot;b&quot;]</td>'));
    const json = await send('{"post":{"title":"One","token":"t0p"}}', "application/json");
    assert.ok(json.includes("<td>{&quot;title&quot;:&quot;One&quot;,&quot;token&quot;:&quot;[redacted]&quot;}</td>"));
    assert.ok((await send("[1]", "application/json")).includes('<th scope="row">body</th><td>[1]</td>'));
    for (const [body, type] of [
      ["{", "application/json"],
      ["text", "text/plain"],
    ] as const) {
      assert.ok(!(await send(body, type)).includes("<h2>Body</h2>"));
    }
  },
  platform(),
);

testOnSite(
  "the values of the session are shown, with the changes of the request and without secrets",
  async ({ browser, store }) => {
    const visitor = browser();
    await visitor.get(`/save?dev_secret=${developerSecret}`);
    await visitor.get("/save");
    const { status, text } = await visitor.get("/fail");
    assert.equal(status, 500);
    const rows = /<h2>Session<\/h2><table><tbody>(.*?)<\/tbody>/.exec(text)?.[1] ?? "";
    const cells = [...rows.matchAll(/<th scope="row">(.*?)<\/th><td>(.*?)<\/td>/g)].map(([, name, value]) => [
      name,
      value,
    ]);
    assert.deepEqual(Object.fromEntries(cells), { user: "Ada", accessToken: "[redacted]", cart: "[1]" });
    store.failure = new Error("the store is down");
    assert.ok(!(await visitor.get("/fail")).text.includes("<h2>Session</h2>"));
  },
  {
    routes: [
      get("/save", async (ctx) => {
        for (const [key, value] of Object.entries({ user: "Ada", old: 1, accessToken: "t0p" })) {
          await sessionOf(ctx).set(key, value);
        }
        return ctx.status(200).send("saved");
      }),
      get("/fail", async (ctx) => {
        await sessionOf(ctx).set("cart", [1]);
        await sessionOf(ctx).delete("old");
        throw new Error("failed");
      }),
    ],
    platform: { development: true },
  },
);

testOnBothTransports(
  "the application's own 404 page lists the routes at its end, for developers and where no route matched",
  [...routes, get("/missing-post", () => Promise.reject(new HttpError(404, "No such post")))],
  async (call) => {
    const { text } = await visit(call, "/lost");
    assert.match(text, /<p>own<\/p><aside aria-label="Development">.*<li>GET \/boom\/:id: TestController/);
    assert.match(text, /<\/aside>\n<script[^>]*><\/script>\n<\/body><\/html>$/);
    assert.ok(!(await visit(call, "/missing-post")).text.includes("<aside"));
    const other = await visit(call, "/lost", { "x-tenon-dev": "" });
    assert.ok(!other.text.includes("<aside") && other.text.includes("<p>own</p>"));
  },
  platform({ "errors/404.eta": "<!doctype html><html><body><p>own</p></body></html>" }),
);

test("a malformed query does not fail the page again", async () => {
  const app = await createTestApp(moduleOf([get("/", (ctx) => ctx.query("a"))]), platform()());
  const response = await app.request("GET", `/?${"a&".repeat(1001)}`, { headers: fromDeveloper });
  assert.equal(response.status, 400);
  assert.match(await response.text(), /<h2>Headers<\/h2>/);
  await app.stop();
});
