import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { test } from "node:test";
import { type Context, Reply, type Routes } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { redirect, type ViewEngine, view, type WebOptions, web } from "@tenon/web";
import { type Call, moduleOf, testOnBothTransports } from "../../core/test/support/transports.ts";
import { temporaryViews } from "./support/views.ts";

const views = temporaryViews({
  "test/index.eta": "<ul><% for (const post of data) { %><li><%= post.title %></li><% } %></ul>",
  "test/greet.eta": "Hello <%= data %>",
  "test/refuse.eta": "Too short: <%= data.error.title %>",
  "posts/show.eta": "<h1><%= data.title %></h1><%= page.status %>",
  "feed.eta": "<feed/>",
  "fails.eta": "<%= data.a.b %>",
  "errors/404.eta": "<h1>Lost</h1><%= data.message %> <%= data.status %> <%= page.path %>",
});
const html = "text/html; charset=utf-8";
const json = "application/json; charset=utf-8";

const index = () => [{ title: "<One>" }];
const plain = () => 1;
const greet = (ctx: Context) => ctx.query("name") || null;
const refuse = (ctx: Context) => ctx.status(422).json({ error: { title: "ab" } });
const forbid = (ctx: Context) => ctx.status(403).json({ error: "Not yours" });
const get = (path: string, handler: (ctx: Context) => unknown) => ({ method: "GET" as const, path, handler });

const routes: Routes = [
  get("/", index),
  get("/greet", greet),
  { ...get("/guarded", greet), middlewares: [forbid] },
  get("/view", () => view("posts/show", { title: "A" })),
  get("/status", () => view("posts/show", { title: "A" }, { status: 422 })),
  get("/around", (ctx) => ctx.status(201).json(view("posts/show", { title: "A" }))),
  get("/made", () => ({ _status: 201, data: view("posts/show", { title: "A" }) })),
  get("/text", (ctx) => ctx.status(200).send("plain <b>")),
  get("/bytes", () => Buffer.from("bytes")),
  get("/stream", () => Readable.from([Buffer.from("a"), Buffer.from("b")])),
  get("/response", () => new Response("own", { status: 203, headers: { "content-type": "text/own" } })),
  get("/nothing", () => undefined),
  get("/go", () => redirect("/posts?a=1#b")),
  get("/go-308", () => redirect("/posts", { status: 308 })),
  get("/ctx", (ctx) => ctx.redirect("/posts")),
  get("/go-own", (ctx) => redirect(`http://${ctx.request().host()}/posts?a=1`)),
  get("/go-relative", (ctx) => redirect(ctx.query("to"))),
  get("/away", () => redirect("https://evil.example/x")),
  get("/away-2", () => redirect("//evil.example/x")),
  get("/friend", () => redirect("https://friend.example/x?y#z")),
  get("/friend-port", () => redirect("http://friend.example:8080/")),
  get("/friend-trick", () => redirect("https://friend.example@evil.example/")),
  get("/friend-script", () => redirect("javascript://friend.example/%0aalert(1)")),
  get("/error-map", () => ({ error: "No such <post>", status: 404 })),
  get("/error-bare", () => ({ error: "Bad" })),
  get("/error-data", refuse),
  get("/no-view", () => ({ a: 1 })),
  get("/feed", (ctx) => {
    ctx.response().setHeader("content-type", "application/atom+xml");
    return view("feed");
  }),
  get("/fails", () => view("fails", {})),
  get("/vary", (ctx) => {
    ctx.response().setHeader("vary", "cookie");
    return view("feed");
  }),
];

const platform = (options: Partial<WebOptions> = {}) =>
  web({ views, development: false, redirects: ["friend.example"], ...options });

async function visit(call: Call, path: string, accept = "text/html") {
  const response = await call("GET", path, { headers: { accept } });
  return [response.status, response.headers.get("content-type"), await response.text()];
}

testOnBothTransports(
  "values of handlers become pages",
  routes,
  async (call) => {
    assert.deepEqual(await visit(call, "/"), [200, html, "<ul><li>&lt;One&gt;</li></ul>"]);
    assert.deepEqual(await visit(call, "/greet?name=Ada"), [200, html, "Hello Ada"]);
    assert.deepEqual(await visit(call, "/greet"), [200, html, "Hello "], "null is data too");
    assert.deepEqual(await visit(call, "/view"), [200, html, "<h1>A</h1>200"]);
    assert.deepEqual(await visit(call, "/status"), [422, html, "<h1>A</h1>422"]);
    assert.deepEqual(await visit(call, "/around"), [201, html, "<h1>A</h1>201"]);
    assert.deepEqual(await visit(call, "/made"), [201, html, "<h1>A</h1>201"]);
    assert.deepEqual(await visit(call, "/feed"), [200, "application/atom+xml", "<feed/>"]);
  },
  platform,
);

testOnBothTransports(
  "an error that a guard returns as JSON is an error page, and never the view of its route",
  routes,
  async (call) => {
    const [status, type, text] = await visit(call, "/guarded?name=Ada");
    assert.deepEqual([status, type], [403, html]);
    assert.match(String(text), /Not yours/);
    assert.doesNotMatch(String(text), /Hello/);
  },
  platform,
);

testOnBothTransports(
  "a client that prefers JSON gets the same data and the same status",
  routes,
  async (call) => {
    const accept = "application/json";
    assert.deepEqual(await visit(call, "/", accept), [200, json, '[{"title":"<One>"}]']);
    assert.deepEqual(await visit(call, "/view", accept), [200, json, '{"title":"A"}']);
    assert.deepEqual(await visit(call, "/status", accept), [422, json, '{"title":"A"}']);
    assert.deepEqual(await visit(call, "/around", accept), [201, json, '{"title":"A"}']);
    assert.deepEqual(await visit(call, "/no-view", accept), [200, json, '{"a":1}'], "no view is needed for it");
    assert.deepEqual(await visit(call, "/error-bare", accept), [400, json, '{"error":"Bad"}']);
    assert.deepEqual(await visit(call, "/lost", accept), [404, json, '{"error":"Not Found"}']);
    assert.deepEqual(await visit(call, "/fails", `${accept}, */*`), [200, json, "{}"]);
  },
  platform,
);

testOnBothTransports(
  "text, bytes, streams and responses need no view, for any client",
  routes,
  async (call) => {
    for (const accept of ["text/html", "application/json"]) {
      assert.deepEqual(await visit(call, "/text", accept), [200, "text/plain; charset=utf-8", "plain <b>"]);
      assert.deepEqual(await visit(call, "/bytes", accept), [200, "application/octet-stream", "bytes"]);
      assert.deepEqual(await visit(call, "/stream", accept), [200, "application/octet-stream", "ab"]);
      assert.deepEqual(await visit(call, "/response", accept), [203, "text/own", "own"]);
      assert.deepEqual(await visit(call, "/nothing", accept), [204, null, ""]);
    }
  },
  platform,
);

testOnBothTransports(
  "Vary names Accept where the response depends on it",
  routes,
  async (call) => {
    const vary = async (path: string, accept = "text/html") =>
      (await call("GET", path, { headers: { accept } })).headers.get("vary");
    for (const path of ["/", "/view", "/lost", "/fails", "/error-bare"]) {
      assert.equal(await vary(path), "Accept", path);
      assert.equal(await vary(path, "application/json"), "Accept", path);
    }
    assert.equal(await vary("/vary"), "cookie, Accept");
    for (const path of ["/text", "/bytes", "/nothing", "/go"]) assert.equal(await vary(path), null, path);
  },
  platform,
);

testOnBothTransports(
  "redirects lead to paths of this site and to the listed hosts only",
  routes,
  async (call, _, log) => {
    const target = async (path: string) => {
      const response = await call("GET", path, { redirect: "manual" });
      return `${response.status} ${response.headers.get("location")}`;
    };
    assert.equal(await target("/go"), "303 /posts?a=1#b");
    assert.equal(await target("/go-308"), "308 /posts");
    assert.equal(await target("/ctx"), "302 /posts");
    assert.equal(await target("/friend"), "303 https://friend.example/x?y#z");
    for (const path of ["/away", "/away-2", "/friend-port", "/friend-trick", "/friend-script"]) {
      assert.equal(await target(path), "303 /", path);
    }
    assert.deepEqual(log.messages("warn"), []);
  },
  platform,
);

testOnBothTransports(
  "in development a refused redirect is logged",
  routes,
  async (call, _, log) => {
    for (const path of ["/away", "/go", "/go-relative?to=x", "/go-relative", "/go-relative?to=%3Fq=1", "/go-own"]) {
      await call("GET", path, { redirect: "manual" });
    }
    assert.deepEqual(
      log.messages("warn").map((line) => line.replace(/localhost|127\.0\.0\.1:\d+/, "own")),
      [
        'redirect("https://evil.example/x") leads away from this site and went to "/". A target on this site starts with "/"; list another host in web({ redirects }) to allow it.',
        ...["x", "", "?q=1"].map(
          (to) => `redirect("${to}") is not a path of this site and went to "/". A target starts with one "/".`,
        ),
        'redirect("http://own/posts?a=1") names the host of this site and went to "/". A target starts with "/": write "/posts?a=1".',
      ],
    );
  },
  () => platform({ development: true }),
);

testOnBothTransports(
  "an {error}, a 404 and a view that throws give an error page",
  routes,
  async (call, _, log) => {
    assert.deepEqual(await visit(call, "/error-map"), [404, html, "<h1>Lost</h1>No such &lt;post&gt; 404 /error-map"]);
    assert.deepEqual(await visit(call, "/lost"), [404, html, "<h1>Lost</h1>Not Found 404 /lost"]);
    assert.deepEqual(
      await visit(call, "/error-data"),
      [422, html, "Too short: ab"],
      "an error that is not text is data",
    );
    const [status, type, body] = await visit(call, "/fails");
    assert.deepEqual([status, type], [500, html]);
    assert.match(String(body), /<h1>Internal Server Error<\/h1>/);
    assert.match(log.causes().join(), /fails\.eta:1: Cannot read properties of undefined/);
  },
  platform,
);

testOnBothTransports(
  "a missing view is logged with its name, its folder and the nearest name",
  [get("/", () => view("posts/shw", {})), get("/plain", plain)],
  async (call, _, log) => {
    assert.equal((await call("GET", "/")).status, 500);
    assert.equal((await call("GET", "/plain")).status, 500);
    assert.match(log.causes()[0] ?? "", /^There is no view "posts\/shw" in .*views\. Did you mean "posts\/show"\?$/);
    assert.match(
      log.causes()[1] ?? "",
      /^TestController\.plain of GET \/plain returned data\. There is no view "test\/plain" in .*views\. Add it, or return view\(name, data\)\.$/,
    );
  },
  platform,
);

class Named {
  #secret() {
    return 1;
  }
  index() {
    return 1;
  }
  readonly routes: Routes = [
    get("/bound", this.index.bind(this)),
    get("/private", this.#secret),
    get(
      "/nameless",
      (
        () => () =>
          1
      )(),
    ),
    { method: "GET", path: "/arrow", handler: () => 1 },
    get("/listed", this.listed.bind(this)),
  ];
  listed() {
    return 1;
  }
}

testOnBothTransports(
  "a bound handler is rendered by the view of its name; a handler without a usable name needs view()",
  new Named().routes,
  async (call, _, log) => {
    assert.deepEqual(await visit(call, "/bound"), [200, html, "bound"]);
    for (const path of ["/private", "/nameless", "/arrow", "/listed"]) await visit(call, path);
    const none = "returned data, and has no name that a view could have. Return view(name, data) instead.";
    assert.deepEqual(
      log.causes().map((cause) => cause.replace(/ in .*views\./, ".")),
      [
        `TestController.#secret of GET /private ${none}`,
        `TestController.(anonymous) of GET /nameless ${none}`,
        `TestController.handler of GET /arrow ${none}`,
        'TestController.listed of GET /listed returned data. There is no view "test/listed". Add it, or return view(name, data).',
      ],
    );
  },
  () => web({ views: temporaryViews({ "test/index.eta": "bound" }), development: false }),
);

testOnBothTransports(
  "HEAD gets the headers of the page",
  routes,
  async (call) => {
    const response = await call("HEAD", "/view");
    assert.deepEqual([response.status, response.headers.get("content-type"), await response.text()], [200, html, ""]);
  },
  platform,
);

const meaning = (value: unknown, ctx: Context) => {
  if (ctx.query("as") === "view") return view("posts/show", { title: JSON.stringify(value) });
  if (ctx.query("as") === "redirect") return redirect("/elsewhere");
  if (ctx.query("as") === "text") return new Reply(202, "text", "text");
  if (ctx.query("as") === "slip") return "posts/show" as never; // what no compiler checked
  return undefined;
};

testOnBothTransports(
  "the serializer turns data into replies, for pages and for JSON, and leaves the rest to the default rules",
  [
    ...routes,
    get("/created", () => ({ _status: 201, data: [1] })),
    get("/thrown", () => {
      throw new Error("x");
    }),
  ],
  async (call, _, log) => {
    assert.deepEqual(await visit(call, "/"), [200, html, "<ul><li>&lt;One&gt;</li></ul>"]);
    assert.deepEqual(await visit(call, "/created?as=view"), [201, html, "<h1>[1]</h1>201"], "the status stays");
    assert.deepEqual(await visit(call, "/created?as=view", "application/json"), [201, json, '{"title":"[1]"}']);
    assert.deepEqual(await visit(call, "/created?as=text"), [202, "text/plain; charset=utf-8", "text"]);
    assert.equal((await call("GET", "/?as=redirect", { redirect: "manual" })).headers.get("location"), "/elsewhere");
    assert.deepEqual(await visit(call, "/view?as=redirect"), [200, html, "<h1>A</h1>200"], "a view is one already");
    assert.deepEqual(await visit(call, "/text?as=redirect"), [200, "text/plain; charset=utf-8", "plain <b>"]);
    assert.equal((await visit(call, "/thrown?as=view"))[0], 500, "errors do not pass the serializer");
    assert.equal((await visit(call, "/error-bare?as=view"))[0], 400);
    assert.equal((await visit(call, "/?as=slip"))[0], 500);
    assert.ok(
      log.causes().some((cause) => cause.startsWith('The serializer returned the text "posts/show". Return view()')),
    );
  },
  () => platform({ serializer: async (value, ctx) => meaning(value, ctx) }),
);

test("data of a middleware where no route matched need view()", async () => {
  const lost = (ctx: Context) => (ctx.query("view") === "" ? { a: 1 } : view("posts/show", { title: "A" }));
  const app = await createTestApp(moduleOf([]), platform({ middlewares: [lost] }), { log: { level: "silent" } });
  assert.equal((await app.request("GET", "/none?view=1")).status, 200);
  assert.equal((await app.request("GET", "/none")).status, 500);
  await app.stop();
});

/** Another template language: `{{name}}` in a text. */
const mustaches: ViewEngine = {
  has: (name) => name === "greeting",
  render: async (_name, { data }) =>
    "Hello {{name}}".replaceAll(/\{\{(\w+)\}\}/g, (_all, key: string) => String((data as Record<string, string>)[key])),
};

testOnBothTransports(
  "another engine is an object",
  [get("/", () => view("greeting", { name: "Ada" })), get("/none", () => view("greetings", {}))],
  async (call, _, log) => {
    assert.deepEqual(await visit(call, "/"), [200, html, "Hello Ada"]);
    assert.equal((await visit(call, "/none"))[0], 500);
    assert.deepEqual(log.causes(), ['There is no view "greetings".']);
  },
  () => web({ views: mustaches, development: false }),
);
