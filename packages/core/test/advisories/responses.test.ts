import assert from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";
import { type Context, HttpError, type MiddlewareLike } from "@tenon/core";
import { request } from "../support/gate.ts";
import { testOnBothTransports } from "../support/transports.ts";
import { testOnWire } from "../support/wire.ts";

const redirect = { method: "GET" as const, path: "/", handler: (ctx: Context) => ctx.redirect(ctx.query("to")) };

testOnBothTransports(
  "a redirect to another site goes to / instead (K8, Koa CVE-2025-54420, CVE-2025-8129, Express CVE-2024-29041, h3 459a1c65)",
  [redirect, { method: "GET" as const, path: "/back", handler: (ctx: Context) => ctx.redirect(ctx.header("referer")) }],
  async (call) => {
    const elsewhere = [
      "//evil.example",
      "/\\evil.example",
      "\\\\evil.example",
      "https:evil.example",
      "https://evil.example/",
      "HTTPS://evil.example/",
      "javascript:alert(1)",
      "/\t/evil.example",
      "/\n/evil.example",
      "\t//evil.example",
      "/\u2028/evil.example",
      "/\r\nset-cookie: a=1",
      "///evil.example",
      "evil.example",
      "",
    ];
    for (const to of elsewhere) {
      const response = await call("GET", `/?to=${encodeURIComponent(to)}`);
      assert.deepEqual([response.status, response.headers.get("location")], [302, "/"], JSON.stringify(to));
      assert.deepEqual(response.headers.getSetCookie(), []);
    }
    for (const referer of ["https://evil.example/", "//evil.example/x"]) {
      assert.equal((await call("GET", "/back", { headers: { referer } })).headers.get("location"), "/");
    }
    assert.equal((await call("GET", "/?to=/posts?a=1%26b")).headers.get("location"), "/posts?a=1&b");
  },
);

testOnBothTransports(
  "a redirect has no body that could contain its target (K9, Express CVE-2024-43796, Koa CVE-2025-32379, h3 60a2e915)",
  [redirect],
  async (call) => {
    for (const to of ['/"><script>alert(1)</script>', "/'onmouseover=x", "/<b>"]) {
      const response = await call("GET", `/?to=${encodeURIComponent(to)}`);
      assert.equal(await response.text(), "");
      assert.doesNotMatch(response.headers.get("location") ?? "", /[<>"]/);
    }
  },
);

const header = {
  method: "GET" as const,
  path: "/",
  handler: (ctx: Context) => {
    const value = decodeURIComponent(ctx.query("value")); // encoded twice, because no query carries U+0000
    ctx.response().setHeader("x-before", "1").setHeader(ctx.query("name"), value);
    return "ok";
  },
};

testOnBothTransports(
  "a header that cannot be sent is one whole 500, and the application keeps serving (K10)",
  [header],
  async (call, _, log) => {
    const bad = [
      ["x-a", "1\r\nx-b: 2"],
      ["x-a", "1\n2"],
      ["x-a", "\r"],
      ["x-a", "😀"],
      ["x-a", "Ā"],
      ["x-a", "\0"],
      ["x a", "1"],
      ["x-a:", "1"],
      ["", "1"],
      ["x-é", "1"],
    ];
    for (const [name = "", value = ""] of bad) {
      const response = await call("GET", `/?${new URLSearchParams({ name, value: encodeURIComponent(value) })}`);
      assert.deepEqual([response.status, await response.json()], [500, { error: "Internal Server Error" }]);
      assert.deepEqual([response.headers.get("x-before"), response.headers.get("x-b")], [null, null]);
    }
    assert.equal(log.messages("error").length, bad.length);
    assert.equal((await call("GET", "/?name=x-a&value=1")).headers.get("x-a"), "1");
  },
);

const statuses: readonly unknown[] = [
  Number.NaN,
  99,
  199,
  600,
  1000,
  "200",
  "",
  1.5,
  -1,
  null,
  undefined,
  {},
  Infinity,
];
/** In a map only a whole number is a status: `-1` and `99` are invalid ones. */
const isInvalid = (path: string, status: unknown) =>
  (path !== "/data" && path !== "/error") || Number.isInteger(status);
const waysToSetStatus: Readonly<Record<string, (status: number, ctx: Context) => unknown>> = {
  "/reply": (status, ctx) => ctx.status(status).json("ok"),
  "/text": (status, ctx) => ctx.status(status).send("ok"),
  "/data": (_status) => ({ _status, data: "ok" }),
  "/error": (status) => ({ error: "no", status }),
  "/hook": (status, ctx) => {
    ctx.onReply((outgoing) => {
      if (outgoing.status !== 500) outgoing.status = status;
    });
    return "ok";
  },
};

let status: unknown;
testOnBothTransports(
  "an invalid status is a 500 with its cause in the log, and data in a map unless it is a whole number (K11, h3 8e695936)",
  Object.entries(waysToSetStatus).map(([path, respond]) => ({
    method: "GET" as const,
    path,
    handler: (ctx: Context) => respond(status as number, ctx), // what plain JavaScript could pass
  })),
  async (call, _, log) => {
    let failures = 0;
    for (const path of Object.keys(waysToSetStatus)) {
      for (const wrong of statuses.filter((candidate) => isInvalid(path, candidate))) {
        status = wrong;
        const response = await call("GET", path);
        assert.deepEqual([response.status, await response.json()], [500, { error: "Internal Server Error" }], path);
        failures++;
      }
    }
    assert.equal(log.causes().length, failures);
    for (const other of statuses.filter((candidate) => !Number.isInteger(candidate))) {
      status = other;
      for (const [path, key] of [
        ["/data", "_status"],
        ["/error", "status"],
      ] as const) {
        const response = await call("GET", path);
        const data = (await response.json()) as object;
        assert.deepEqual([response.status, Object.hasOwn(data, key)], [200, other !== undefined], path);
      }
    }
    assert.equal(log.causes().length, failures, "data is not an error");
  },
);

const thrown: Readonly<Record<string, unknown>> = {
  "/text": "secret",
  "/number": 404,
  "/function": () => {},
  "/unshowable": {
    get [Symbol.toStringTag]() {
      throw new Error("no");
    },
  },
  "/null": null,
  "/undefined": undefined,
  "/object": { status: 200, statusCode: 200, message: "secret" },
  "/error": Object.assign(new Error("secret"), { status: 200, statusCode: 204, expose: true }),
  "/response": { status: 200, body: "secret", headers: {} },
};

testOnBothTransports(
  "any thrown or rejected value is a 500, never its own status or text (K21, h3 d5a5c7af)",
  Object.entries(thrown).flatMap(([path, value]) => [
    {
      method: "GET" as const,
      path,
      handler: () => {
        throw value;
      },
    },
    { method: "POST" as const, path, handler: () => Promise.reject(value) },
    { method: "PUT" as const, path, handler: () => "never", middlewares: [async () => Promise.reject(value)] },
  ]),
  async (call, _, log) => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => unhandled.push(reason);
    process.on("unhandledRejection", note);
    try {
      for (const path of Object.keys(thrown)) {
        for (const method of ["GET", "POST", "PUT"]) {
          const response = await call(method, path);
          assert.deepEqual(
            [response.status, await response.json()],
            [500, { error: "Internal Server Error" }],
            `${method} ${path}`,
          );
        }
      }
    } finally {
      process.off("unhandledRejection", note);
    }
    assert.deepEqual(unhandled, []);
    assert.equal(log.messages("error").length, 3 * Object.keys(thrown).length, "one line each");
  },
);

const cause = new Error('duplicate key in "users": insert into users /srv/app/main.ts 10.0.0.5:5432');
testOnBothTransports(
  "a 500 does not reveal stack, statement, path or host (K22, h3 ea2f2a32, 936f14ba)",
  [
    { method: "GET" as const, path: "/error", handler: () => Promise.reject(cause) },
    { method: "GET" as const, path: "/cause", handler: () => Promise.reject(new HttpError(500, "Sorry", { cause })) },
    { method: "GET" as const, path: "/json", handler: () => ({ toJSON: () => assert.fail(cause) }) },
  ],
  async (call, _, log) => {
    for (const path of ["/error", "/cause", "/json"]) {
      const response = await call("GET", path);
      const text = `${await response.text()} ${JSON.stringify([...response.headers])}`;
      assert.equal(response.status, 500);
      assert.doesNotMatch(text, /insert|users|srv|10\.0|\.ts|\bat /, path);
    }
    assert.equal(log.messages("error").length, 3, "the log has it");
  },
);

const remove = ["set-cookie", "x-one", "x-many", "x-added", "content-type", "x-of-response", "etag"];
const removing: MiddlewareLike = (ctx, next) => {
  ctx.onReply(({ headers }) => {
    seen.push([...headers.entries()].map(([name]) => name));
    for (const name of remove) headers.removeHeader(name.toUpperCase());
  });
  return next();
};
const seen: string[][] = [];

testOnBothTransports(
  "a hook sees every header, however it was set, and can remove it (K20, on-headers CVE-2025-7339, Fastify e4ffc2053)",
  [
    {
      method: "GET" as const,
      path: "/",
      handler: (ctx: Context) => {
        ctx.setCookie("a", "1");
        ctx.setCookie("b", "2");
        ctx
          .response()
          .setHeader("X-One", "1")
          .setHeader("x-many", ["1", "2"])
          .addHeader("X-Added", "1")
          .addHeader("x-added", "2");
        return new Response("text", {
          headers: [
            ["ETag", '"1"'],
            ["x-of-response", "1"],
            ["set-cookie", "c=3"],
          ],
        });
      },
    },
  ],
  async (call) => {
    seen.length = 0;
    const response = await call("GET", "/");
    assert.deepEqual(seen[0]?.toSorted(), remove.toSorted());
    for (const name of remove) assert.equal(response.headers.get(name), null, name);
  },
  { middlewares: [removing] },
);

/** Requests that interleave, each at its own pace. */
const isolated = {
  method: "GET" as const,
  path: "/:id",
  handler: async (ctx: Context) => {
    const id = ctx.param("id");
    ctx.set("id", id);
    for (let round = 0; round < 5; round++) {
      await turn();
      ctx.log.info({ own: id }, "working");
      ctx.response().setHeader("x-own", id);
    }
    ctx.setCookie("own", id);
    return { id: ctx.param("id"), value: ctx.get("id"), query: ctx.query("q"), header: ctx.header("x-q") };
  },
};

testOnBothTransports(
  "concurrent requests do not see each other's state (K18, Hono fab3b136)",
  [isolated],
  async (call, _, log) => {
    const ids = Array.from({ length: 30 }, (_, index) => String(index));
    await Promise.all(
      ids.map(async (id) => {
        const response = await call("GET", `/${id}?q=${id}`, {
          headers: { "x-q": id, "x-request-id": `request-${id}` },
        });
        assert.deepEqual(await response.json(), { id, value: id, query: id, header: id });
        assert.equal(response.headers.get("x-own"), id);
        assert.deepEqual(response.headers.getSetCookie(), [`own=${id}; Path=/; HttpOnly; SameSite=Lax`]);
        assert.equal(response.headers.get("x-request-id"), `request-${id}`);
      }),
    );
    const lines = log.all.filter(({ msg }) => msg === "working");
    assert.equal(lines.length, 150);
    for (const line of lines) assert.equal(line.id, `request-${line.own}`);
  },
);

testOnWire("no part of a failed response is sent (K10)", [header], async ({ connect }) => {
  const client = connect().send(
    request("/?name=x-a&value=%0d%0a%0d%0aHTTP/1.1+200+OK") + request("/?name=x-a&value=1"),
  );
  const responses = await client.responses(2);
  assert.deepEqual(
    responses.map((response) => response.status),
    [500, 200],
  );
});
