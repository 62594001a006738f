import assert from "node:assert/strict";
import { test } from "node:test";
import {
  api,
  type Context,
  defineModule,
  HttpError,
  inject,
  type Middleware,
  type MiddlewareFunction,
  type Next,
  type Routes,
  route,
} from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { LogLines } from "../support/log-lines.ts";
import { moduleOf, testOnBothTransports } from "../support/transports.ts";

/** Adds its name to the value of next(). */
function mark(name: string): MiddlewareFunction {
  return async (_, next) => [name, ...((await next()) as string[])]; // the handlers below return lists of strings
}

class Counter {
  count = 0;
}
class CountingMiddleware implements Middleware {
  readonly #counter = inject(Counter);

  async handle(_: Context, next: Next) {
    this.#counter.count++;
    return [`class ${this.#counter.count}`, ...((await next()) as string[])]; // as above
  }
}
class PrefixMiddleware implements Middleware {
  readonly #prefix: string;
  constructor(prefix: string) {
    this.#prefix = prefix;
  }
  async handle(_: Context, next: Next) {
    return [this.#prefix, ...((await next()) as string[])]; // as above
  }
}
class CountedController {
  routes(): Routes {
    return [
      {
        method: "GET",
        path: "/",
        middlewares: [CountingMiddleware, new PrefixMiddleware("instance"), mark("function")],
        handler: () => ["handler"],
      },
      { method: "GET", path: "/other", middlewares: [CountingMiddleware], handler: () => ["other"] },
    ];
  }
}

test("a middleware is an injected class, an instance or a function", async () => {
  const module = defineModule({ name: "counted", declarations: [CountedController, Counter] });
  const app = await createTestApp(module, api());
  assert.deepEqual(await (await app.request("GET", "/")).json(), ["class 1", "instance", "function", "handler"]);
  assert.deepEqual(await (await app.request("GET", "/other")).json(), ["class 2", "other"], "one instance for all");
  assert.deepEqual(app.routes.list()[0]?.middlewares, ["CountingMiddleware", "PrefixMiddleware", "(anonymous)"]);
  await app.stop();
});

testOnBothTransports(
  "middlewares run in the order application, outer group, inner group, route, and return in reverse",
  [
    {
      path: "/a",
      middlewares: [mark("group 1"), mark("group 2")],
      children: [
        {
          path: "/b",
          middlewares: [mark("inner group")],
          children: [
            { method: "GET", path: "/c", middlewares: [mark("route 1"), mark("route 2")], handler: () => ["handler"] },
          ],
        },
        { method: "GET", path: "/d", handler: () => ["d"] },
      ],
    },
  ],
  async (call) => {
    assert.deepEqual(await (await call("GET", "/a/b/c")).json(), [
      "app 1",
      "app 2",
      "group 1",
      "group 2",
      "inner group",
      "route 1",
      "route 2",
      "handler",
    ]);
    assert.deepEqual(await (await call("GET", "/a/d")).json(), ["app 1", "app 2", "group 1", "group 2", "d"]);
  },
  { middlewares: [mark("app 1"), mark("app 2")] },
);

testOnBothTransports(
  "a middleware that returns its own value stops the chain",
  [
    {
      path: "/",
      middlewares: [(ctx, next) => (ctx.header("authorization") === "" ? { error: "Who?", status: 401 } : next())],
      children: [{ method: "GET", path: "/", handler: () => "in" }],
    },
  ],
  async (call) => {
    const refused = await call("GET", "/");
    assert.equal(refused.status, 401);
    assert.deepEqual(await refused.json(), { error: "Who?", status: 401 });
    const accepted = await call("GET", "/", { headers: { authorization: "me" } });
    assert.deepEqual([accepted.status, await accepted.json()], [200, "in"]);
  },
);

testOnBothTransports(
  "a middleware can change the value or the error of next()",
  [
    {
      method: "GET",
      path: "/value",
      middlewares: [async (ctx, next) => ctx.status(202).json({ wrapped: await next() })],
      handler: () => ({ a: 1 }),
    },
    {
      method: "GET",
      path: "/error",
      middlewares: [
        async (_, next) => {
          try {
            return await next();
          } catch (error) {
            throw new HttpError(409, `conflict: ${error instanceof Error ? error.message : ""}`);
          }
        },
      ],
      handler: () => {
        throw new Error("inner");
      },
    },
  ],
  async (call) => {
    const value = await call("GET", "/value");
    assert.deepEqual([value.status, await value.json()], [202, { wrapped: { a: 1 } }]);
    const error = await call("GET", "/error");
    assert.deepEqual([error.status, await error.json()], [409, { error: "conflict: inner" }]);
  },
);

testOnBothTransports(
  "the application's middlewares run on misses and on malformed paths, group middlewares do not",
  [
    {
      path: "/admin",
      middlewares: [
        (ctx, next) => {
          ctx.onReply(({ headers }) => headers.addHeader("x-ran", "group"));
          return next();
        },
      ],
      children: [{ method: "GET", path: "/", handler: () => "in" }],
    },
  ],
  async (call) => {
    const ran = async (path: string) => {
      const response = await call("GET", path);
      return [response.status, response.headers.get("x-ran")];
    };
    assert.deepEqual(await ran("/admin"), [200, "group, app"]);
    assert.deepEqual(await ran("/admin/nothing"), [404, "app"]);
    assert.deepEqual(await ran("/admin/%"), [400, "app"]);
  },
  {
    middlewares: [
      (ctx, next) => {
        ctx.onReply(({ headers }) => headers.addHeader("x-ran", "app"));
        return next();
      },
    ],
  },
);

testOnBothTransports(
  "an error response drops the headers and cookies that the handler set, and keeps those of hooks",
  [
    route.get("/", (ctx) => {
      ctx.response().setHeader("x-handler", "1").setHeader("content-type", "image/png");
      ctx.setCookie("session", "1");
      throw new HttpError(403, "Forbidden", { headers: { "x-error": "1" } });
    }),
  ],
  async (call) => {
    const response = await call("GET", "/");
    assert.equal(response.status, 403);
    assert.equal(response.headers.get("x-handler"), null);
    assert.deepEqual(response.headers.getSetCookie(), []);
    assert.equal(response.headers.get("content-type"), "application/json; charset=utf-8");
    assert.equal(response.headers.get("x-error"), "1");
    assert.equal(response.headers.get("x-hook"), "1");
  },
  {
    middlewares: [
      (ctx, next) => {
        ctx.onReply(({ headers }) => headers.setHeader("x-hook", "1"));
        return next();
      },
    ],
  },
);

testOnBothTransports(
  "onReply() hooks see the outgoing response, the last registered first, and may change it",
  [
    route.get("/", (ctx) => {
      ctx.response().setHeader("x-remove", "1");
      ctx.onReply((outgoing) => {
        outgoing.headers.addHeader("x-order", "first registered");
        outgoing.encode("x-upper", (body) => String(body).toUpperCase());
      });
      ctx.onReply((outgoing) => {
        outgoing.headers.addHeader("x-order", "last registered").removeHeader("X-Remove");
        outgoing.status = 203;
      });
      return "text";
    }),
  ],
  async (call) => {
    const response = await call("GET", "/");
    assert.equal(response.status, 203);
    assert.equal(response.headers.get("x-order"), "last registered, first registered");
    assert.equal(response.headers.get("x-remove"), null, "every form can be removed (K20, on-headers CVE-2025-7339)");
    assert.deepEqual([response.headers.get("content-encoding"), await response.text()], ["x-upper", '"TEXT"']);
  },
);

const forgetful: Routes = [
  {
    method: "GET",
    path: "/",
    middlewares: [
      async function forgetful(_, next) {
        await next();
      },
    ],
    handler: () => "value",
  },
];
const lostText = "forgetful called next() and did not return its value: return next()";

testOnBothTransports("a dropped value of next() is used and warned about once", forgetful, async (call, _app, log) => {
  for (let round = 0; round < 3; round++) assert.equal(await (await call("GET", "/")).json(), "value");
  assert.deepEqual(log.messages("warn"), [lostText]);
});

test("a dropped value of next() is used without a warning in production", async () => {
  const before = process.env.NODE_ENV;
  const log = new LogLines();
  process.env.NODE_ENV = "production";
  try {
    const app = await createTestApp(moduleOf(forgetful), api(), { log: log.options });
    assert.equal(await (await app.request("GET", "/")).json(), "value");
    await app.stop();
  } finally {
    if (before === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = before;
  }
  assert.deepEqual(log.messages("warn"), []);
});
