import assert from "node:assert/strict";
import { once } from "node:events";
import { Duplex } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import { inspect } from "node:util";
import { type Context, dto, type Next, type Route, route, string } from "@tenon/core";
import { leasesOf, releaseRequest } from "@tenon/core/internal";
import { type Call, testOnBothTransports } from "../support/transports.ts";
import { until } from "../support/until.ts";

const get = (path: string, handler: Route["handler"] & object): Route => ({ method: "GET", path, handler });
const json = async (call: Call, path: string, headers: Record<string, string> = {}): Promise<unknown> =>
  (await call("GET", path, { headers })).json();

testOnBothTransports(
  "param() returns a path parameter, and an empty string for a name that the path does not declare",
  [get("/users/:id", (ctx) => [ctx.param("id"), ctx.param("other"), ctx.param("*"), ctx.param("__proto__")])],
  async (call) => {
    assert.deepEqual(await json(call, "/users/7"), ["7", "", "", ""]);
  },
);

function show(ctx: Context) {
  return ctx.route ?? null;
}

testOnBothTransports(
  "route is the matched route as declared: in handlers, for HEAD, for routes added later, and not on a miss",
  [
    { path: "/users", children: [get("/:id", show)] },
    { method: "POST", path: "/users", handler: (ctx) => Object.isFrozen(ctx.route) },
  ],
  async (call, app) => {
    const user = { method: "GET", path: "/users/:id", controller: "TestController", handler: "show" };
    assert.deepEqual(await json(call, "/users/7"), user);
    assert.deepEqual(await json(call, "/users/8"), user);
    assert.equal(await (await call("POST", "/users")).json(), true, "it is shared by all requests");
    const head = await call("HEAD", "/users/7");
    assert.equal(head.headers.get("x-route"), "GET /users/:id");
    const miss = await call("GET", "/missing");
    assert.equal(miss.headers.get("x-route"), "none");
    app.routes.add(get("/late", show), { owner: "a test" });
    assert.deepEqual(await json(call, "/late"), {
      method: "GET",
      path: "/late",
      controller: "a test",
      handler: "show",
    });
  },
  {
    middlewares: [
      (ctx: Context, next: Next) => {
        const { route } = ctx;
        ctx.onReply(({ headers }) => {
          headers.setHeader("x-route", route === undefined ? "none" : `${route.method} ${route.path}`);
        });
        return next();
      },
    ],
  },
);

testOnBothTransports(
  "query() returns the first value, and an empty string or the default when it is absent",
  [
    get("/", (ctx) => [ctx.query("a"), ctx.query("b"), ctx.query("toString"), ctx.query("__proto__")]),
    get("/default", (ctx) => ctx.queryDefault("a", "default")),
  ],
  async (call) => {
    for (const [query, value] of [
      ["", "default"],
      ["?b=1", "default"],
      ["?a=1", "1"],
      ["?a=", ""],
      ["?a", ""],
    ] as const) {
      assert.equal(await json(call, `/default${query}`), value, "empty is not absent");
    }
    assert.deepEqual(await json(call, "/"), ["", "", "", ""]);
    assert.deepEqual(await json(call, "/?a=1&a=2&b="), ["1", "", "", ""]);
    assert.deepEqual(await json(call, "/?a=x%20y+z&b=%2B"), ["x y z", "+", "", ""]);
  },
);

testOnBothTransports(
  "header() finds a header in any case of its name, and returns an empty string when it is absent",
  [get("/", (ctx) => [ctx.header("X-One"), ctx.header("x-one"), ctx.header("x-two"), ctx.header("constructor")])],
  async (call) => {
    assert.deepEqual(await json(call, "/", { "X-ONE": "1" }), ["1", "1", "", ""]);
  },
);

testOnBothTransports(
  "cookie() returns a cookie, and an empty string when it is absent",
  [get("/", (ctx) => [ctx.cookie("a"), ctx.cookie("b"), ctx.cookie("constructor"), ctx.cookie("")])],
  async (call) => {
    assert.deepEqual(await json(call, "/"), ["", "", "", ""]);
    assert.deepEqual(await json(call, "/", { cookie: "a=1; b=x%20y" }), ["1", "x y", "", ""]);
  },
);

testOnBothTransports(
  "set(), setValue() and get() share values between middlewares and handler",
  [
    {
      ...get("/", (ctx) => [
        ctx.get("one"),
        ctx.get("two"),
        ctx.get("three") ?? "nothing",
        ctx.get("toString") ?? "none",
      ]),
      middlewares: [
        (ctx: Context, next: Next) => {
          ctx.set("one", { deep: 1 });
          ctx.setValue("two", [2]);
          return next();
        },
      ],
    },
  ],
  async (call) => {
    assert.deepEqual(await json(call, "/"), [{ deep: 1 }, [2], "nothing", "none"]);
  },
);

testOnBothTransports(
  "status(n).json(value) responds with that status and JSON",
  [get("/", (ctx) => ctx.status(201).json({ a: [1, null] })), get("/null", (ctx) => ctx.status(202).json(null))],
  async (call) => {
    const response = await call("GET", "/");
    assert.equal(response.status, 201);
    assert.equal(response.headers.get("content-type"), "application/json; charset=utf-8");
    assert.equal(await response.text(), '{"a":[1,null]}');
    const second = await call("GET", "/null");
    assert.deepEqual([second.status, await second.text()], [202, "null"]);
  },
);

testOnBothTransports(
  "status(n).send(text) responds with that status and text",
  [get("/", (ctx) => ctx.status(418).send("käse")), get("/empty", (ctx) => ctx.status(200).send(""))],
  async (call) => {
    const response = await call("GET", "/");
    assert.equal(response.status, 418);
    assert.equal(response.headers.get("content-type"), "text/plain; charset=utf-8");
    assert.equal(await response.text(), "käse");
    const empty = await call("GET", "/empty");
    assert.deepEqual([empty.status, await empty.text()], [200, ""]);
  },
);

testOnBothTransports(
  "request().params(), queries() and headers() return a new map without a prototype for each call",
  [
    get("/:__proto__/:id", (ctx) => {
      const view = ctx.request();
      const maps = [view.params(), view.queries(), view.headers()];
      const clean = maps.every((map) => Object.getPrototypeOf(map) === null);
      for (const map of [view.params(), view.queries(), view.headers()]) map.changed = "yes";
      const untouched = [view.params(), view.queries(), view.headers()].every((map) => !("changed" in map));
      return { clean, untouched, params: Object.entries(view.params()), queries: Object.entries(view.queries()) };
    }),
  ],
  async (call) => {
    assert.deepEqual(await json(call, "/x/7?a=1&a=2&b=&__proto__=evil&constructor=evil"), {
      clean: true,
      untouched: true,
      params: [
        ["__proto__", "x"],
        ["id", "7"],
      ],
      queries: [
        ["a", "1"],
        ["b", ""],
        ["__proto__", "evil"],
        ["constructor", "evil"],
      ],
    });
  },
);

testOnBothTransports(
  "request().body() returns the raw bytes on each call, and none without a body",
  [
    route.post("/", async (ctx) => {
      const [first, second] = [await ctx.request().body(), await ctx.request().body()];
      return { bytes: [...first], same: first === second };
    }),
  ],
  async (call) => {
    const response = await call("POST", "/", { body: new Uint8Array([0, 255, 10]) });
    assert.deepEqual(await response.json(), { bytes: [0, 255, 10], same: true });
    assert.deepEqual(await (await call("POST", "/")).json(), { bytes: [], same: true });
  },
);

testOnBothTransports(
  "a request id is random, constant within its request, and in its log lines",
  [
    get("/", (ctx) => {
      ctx.log.info("from the handler");
      return [ctx.id, ctx.id];
    }),
  ],
  async (call, _app, log) => {
    const [first, again] = (await json(call, "/")) as [string, string]; // what the handler returns
    assert.match(first, /^[0-9a-f-]{36}$/);
    assert.equal(again, first);
    assert.notEqual(((await json(call, "/")) as [string, string])[0], first); // as above
    const lines = log.all.filter((line) => line.msg === "from the handler");
    assert.equal(lines.length, 2);
    assert.equal(lines[0]?.id, first);
  },
);

testOnBothTransports(
  "param() warns once for each route and name that the path does not declare, and not on a miss",
  [
    get("/users/:id", (ctx) => [ctx.param("id"), ctx.param("nmae"), ctx.param("nmae")]),
    get("/posts/:id", (ctx) => ctx.param("nmae")),
    // @ts-expect-error which Node does not see
    route.get("/notes/:id", { params: dto({ id: string() }), returns: string() }, (ctx) => ctx.param("nmae")),
  ],
  async (call, _, log) => {
    for (let round = 0; round < 3; round++) {
      await call("GET", "/notes/7");
      await call("GET", "/users/7");
      await call("GET", "/posts/7");
      await call("GET", "/nowhere");
    }
    assert.deepEqual(log.messages("warn"), [
      'GET /notes/:id has no parameter :nmae: ctx.param("nmae") is ""',
      'GET /users/:id has no parameter :nmae: ctx.param("nmae") is ""',
      'GET /posts/:id has no parameter :nmae: ctx.param("nmae") is ""',
    ]);
  },
  { middlewares: [(ctx: Context, next: Next) => [ctx.route === undefined && ctx.param("x"), next()][1]] },
);

const NameDTO = dto({ name: string("required") });
let forgotten: unknown;

testOnBothTransports(
  "a rejected bind() that is not awaited does not crash the process",
  [
    route.post("/", (ctx: Context) => {
      forgotten = ctx.bind(NameDTO);
      return "done";
    }),
  ],
  async (call) => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => unhandled.push(reason);
    process.on("unhandledRejection", note);
    try {
      const res = await call("POST", "/", { body: "{}", headers: { "content-type": "application/json" } });
      assert.equal(await res.json(), "done");
      await until(() => inspect(forgotten).includes("<rejected>"), "rejection"); // then() would handle it
      await turn();
      assert.deepEqual(unhandled, []);
    } finally {
      process.off("unhandledRejection", note);
    }
  },
);

testOnBothTransports(
  "limitBody() throws instead of lifting the limit",
  [
    route.post("/", (ctx: Context) => {
      for (const limit of [Number.NaN, -1, Number.POSITIVE_INFINITY]) {
        assert.throws(() => ctx.limitBody(limit), RangeError);
      }
      return "refused";
    }),
  ],
  async (call) => {
    assert.equal(await (await call("POST", "/", { body: "x" })).json(), "refused");
  },
);

testOnBothTransports(
  "param() warns about at most 1,000 names, which may come from clients",
  [get("/", (ctx) => Array.from({ length: 1100 }, (_, index) => ctx.param(`name${index}`)).join(""))],
  async (call, _, log) => {
    assert.equal(await json(call, "/"), "");
    assert.equal(log.messages("warn").length, 1000);
  },
);

async function readTwice(ctx: Context) {
  const connection = new Duplex();
  const read = () => {
    const request = ctx.request();
    return [
      [ctx.query("q"), ctx.cookie("c"), request.queries().q, ctx.id, ctx.get("seen")],
      [ctx.method, ctx.path, ctx.header("X-Twice"), ctx.header("x-none"), request.headers()],
      [request.address(), request.peer() ?? "", request.protocol(), request.host()],
    ];
  };
  ctx.set("seen", 1);
  ctx.onReply(({ headers }) => void headers.setHeader("x-hook", "it has run"));
  const first = read();
  const { log } = ctx;
  releaseRequest(ctx, connection);
  const { signal } = ctx;
  const wasAborted = signal.aborted;
  const closed = once(connection.destroy(), "close");
  await closed;
  return {
    first,
    second: read(),
    isSameLog: log === ctx.log,
    leases: leasesOf(ctx),
    body: (await ctx.request().body()).length,
    signal: [wasAborted, signal.aborted, signal === ctx.signal],
  };
}

testOnBothTransports(
  "what was read of a request is read again after it is released, and hooks are forgotten",
  [get("/", readTwice)],
  async (call) => {
    const response = await call("GET", "/?q=a", {
      headers: { cookie: "c=d", "x-request-id": "r1", "x-twice": "1, 2" },
    });
    const read = (await response.json()) as Awaited<ReturnType<typeof readTwice>>;
    const { first, second, ...rest } = read;
    assert.deepEqual(second, first);
    assert.deepEqual(first[0]?.slice(0, 3), ["a", "d", "a"]);
    assert.deepEqual(first[1]?.slice(0, 4), ["GET", "/", "1, 2", ""]);
    assert.deepEqual(rest, { isSameLog: false, leases: [], body: 0, signal: [false, true, true] });
    assert.equal(response.headers.get("x-hook"), null);
  },
);
