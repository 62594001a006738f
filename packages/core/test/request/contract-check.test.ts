import assert from "node:assert/strict";
import { test } from "node:test";
import {
  api,
  array,
  createApp,
  dto,
  endpoint,
  HttpError,
  integer,
  jsonArray,
  type Middleware,
  type MiddlewareFunction,
  type Reply,
  type Route,
  string,
  timestamp,
} from "@tenon/core";
import { cli } from "@tenon/core/cli";
import { compress } from "@tenon/core/middleware";
import { ContractError, createTestApp } from "@tenon/core/testing";
import { z } from "zod";
import type { Handler } from "../../src/request/handler.ts";
import { LogLines } from "../support/log-lines.ts";
import { moduleOf } from "../support/transports.ts";

const Post = dto({ id: string("required"), views: integer("required", "min=0") });
const wrong = { id: 5, views: -1 } as unknown as { id: string; views: number }; // as data without types might be

class Guard implements Middleware {
  readonly contract = { errors: { 401: "Unauthorized" } };

  readonly #body: object | undefined;

  constructor(body?: object) {
    this.#body = body;
  }

  handle(): never {
    throw new HttpError(401, "Unauthorized", { body: this.#body });
  }
}

/** A route that declares the text of an error. */
function textRoute(handler: Handler): Pick<Route, "handler"> {
  return { handler: endpoint({ errors: { 404: "Not found" } }, handler) };
}
const own =
  "GET / returned a body that its contract does not declare for 404:\n  (body): must be the declared message, as ctx.fail() sends it: declare a schema for a body of its own";

const Event = dto({ at: timestamp(), note: string() });
const secret = '{"id":"1","views":1,"password":"hunter2"}';

async function* chunks() {
  yield secret;
}

/** A route with a hook, in plain JavaScript, that tries to replace the body. */
const hooked: Pick<Route, "handler" | "middlewares"> = {
  handler: endpoint({ returns: Post }, () => ({ id: "1", views: 0 })),
  middlewares: [
    (ctx, next) => {
      ctx.onReply((outgoing) => void Object.assign(outgoing, { body: secret }));
      return next();
    },
  ],
};

/** A route whose middleware returns other data than its handler. */
const wrapped: Pick<Route, "handler" | "middlewares"> = {
  handler: endpoint({ returns: Post }, () => ({ id: "1", views: 0 })),
  middlewares: [async (_, next) => ({ ...((await next()) as Reply<200, object>).value, ...JSON.parse(secret) })],
};

async function* rows() {
  yield { id: "1", views: 1 };
  yield wrong;
}

const undeclaredGuard: MiddlewareFunction = () => {
  throw new HttpError(403, "Forbidden");
};

interface Case {
  readonly title: string;
  readonly route: Pick<Route, "handler" | "middlewares">;
  /** Undefined for a response that its contract declares. */
  readonly message?: string;
}

const cases: readonly Case[] = [
  { title: "a declared body", route: { handler: endpoint({ returns: Post }, () => ({ id: "1", views: 0 })) } },
  {
    title: "wrong types and values",
    route: { handler: endpoint({ returns: Post }, () => wrong) },
    message:
      "GET / returned a body that its contract does not declare for 200:\n  id: must be a string\n  views: must be at least 0",
  },
  {
    title: "a wrong item of a list",
    route: { handler: endpoint({ returns: array(Post) }, () => [{ id: "1", views: 1 }, wrong]) },
    message:
      "GET / returned a body that its contract does not declare for 200:\n  1.id: must be a string\n  1.views: must be at least 0",
  },
  {
    title: "a wrong row of a stream",
    route: { handler: endpoint({ returns: array(Post) }, () => jsonArray(rows())) },
    message:
      "GET / returned a body that its contract does not declare for 200:\n  1.id: must be a string\n  1.views: must be at least 0",
  },
  {
    title: "an invalid optional date, which is not sent",
    route: { handler: endpoint({ returns: Event }, () => ({ at: new Date(Number.NaN) })) },
    message:
      "GET / returned a body that its contract does not declare for 200:\n  at: must be a timestamp such as 2026-11-17T09:30:00Z",
  },
  {
    title: "an object instead of an optional text, which is not sent",
    route: { handler: endpoint({ returns: Event }, () => ({ note: { secret: 1 } as never })) },
    message: "GET / returned a body that its contract does not declare for 200:\n  note: must be a string",
  },
  {
    title: "JSON with another content type",
    route: {
      handler: endpoint({ returns: Post }, (ctx) => {
        ctx.response().setHeader("content-type", "application/vnd.blog+json");
        return { id: "1", views: 0 };
      }),
    },
    message: "GET / declares application/json for 200, not application/vnd.blog+json",
  },
  {
    title: "JSON with parameters of its content type",
    route: {
      handler: endpoint({ returns: Post }, (ctx) => {
        ctx.response().setHeader("content-type", "application/json; charset=utf-8");
        return { id: "1", views: 0 };
      }),
    },
  },
  {
    title: "a ready text where data is declared",
    route: { handler: endpoint({ returns: Post }, (ctx) => ctx.status(200).send(secret) as never) },
    message:
      "GET / returned a body that its contract does not declare for 200:\n  (body): must be data, not a text that is sent as it is",
  },
  {
    title: "a Response with declared JSON",
    route: {
      handler: endpoint(
        { returns: { 201: Post } },
        () => Response.json({ id: "1", views: 1 }, { status: 201 }) as never,
      ),
    },
  },
  {
    title: "a Response with another body",
    route: {
      handler: endpoint(
        { returns: { 200: Post, 201: Post } },
        () => Response.json({ id: 5 }, { status: 201 }) as never,
      ),
    },
    message:
      "GET / returned a body that its contract does not declare for 201:\n  id: must be a string\n  views: is required",
  },
  {
    title: "a Response without JSON where data is declared",
    route: { handler: endpoint({ returns: Post }, () => new Response(secret) as never) },
    message:
      "GET / returned a body that its contract does not declare for 200:\n  (body): must be data or a Response with JSON",
  },
  {
    title: "an async generator where data is declared",
    route: { handler: endpoint({ returns: Post }, () => chunks() as never) },
    message:
      "GET / returned a body that its contract does not declare for 200:\n  (body): must be data, not bytes or a stream",
  },
  {
    title: "a Response of a middleware with another body",
    route: { handler: endpoint({ returns: Post }, () => wrong), middlewares: [() => Response.json({})] },
    message:
      "GET / returned a body that its contract does not declare for 200:\n  id: is required\n  views: is required",
  },
  {
    title: "declared fields that a middleware replaces",
    route: { ...wrapped, middlewares: [() => ({ views: 2, id: "2" })] },
  },
  {
    title: "a body that is compressed",
    route: {
      handler: endpoint({ returns: Post }, () => ({ id: "1", views: 0 })),
      middlewares: [compress({ threshold: 0 })],
    },
  },
  {
    title: "another message than the declared ones",
    route: {
      handler: endpoint({ returns: Post, errors: { 404: ["Post not found", "Gone"] } }, () => {
        throw new HttpError(404, "Missing");
      }),
    },
    message: 'GET / declares "Post not found", "Gone" for 404, not the message "Missing"',
  },
  {
    title: "a message where a body is declared",
    route: {
      handler: endpoint({ returns: Post, errors: { 409: Post } }, () => {
        throw new HttpError(409, "Taken");
      }),
    },
    message:
      "GET / returned a body that its contract does not declare for 409:\n  id: is required\n  views: is required",
  },
  {
    title: "another media type",
    route: {
      handler: endpoint(
        { returns: { content: "text/csv" } },
        () => new Response("<p>", { headers: { "content-type": "text/html" } }),
      ),
    },
    message: "GET / declares text/csv for 200, not text/html",
  },
  {
    title: "the status of a Response",
    route: { handler: endpoint({ returns: { content: "text/csv" } }, () => new Response("", { status: 418 })) },
    message: "GET / does not declare the status 418, only 200",
  },
  {
    title: "a value that another library converts",
    route: { handler: endpoint({ returns: z.object({ a: z.string().transform(Number) }) }, () => ({ a: "5" })) },
  },
  {
    title: "a value that another library rejects",
    route: { handler: endpoint({ returns: z.object({ a: z.string() }) }, () => ({ a: 5 }) as never) },
    message:
      "GET / returned a body that its contract does not declare for 200:\n  a: Invalid input: expected string, received number",
  },
  {
    title: "an undeclared status",
    route: { handler: endpoint({ returns: Post }, (ctx) => ctx.status(202).json(wrong) as never) },
    message: "GET / does not declare the status 202, only 200",
  },
  {
    title: "an undeclared error that was thrown",
    route: {
      handler: endpoint({ returns: Post }, () => {
        throw new HttpError(404, "Not found");
      }),
    },
    message: "GET / does not declare the status 404, only 200",
  },
  {
    title: "an error that a middleware returned with its status",
    route: {
      handler: endpoint({ returns: Post, errors: { 404: "Not found" } }, () => ({ id: "1", views: 0 })),
      middlewares: [() => ({ error: "Not found", status: 404 })],
    },
  },
  ...[
    { title: "a declared text", route: textRoute(() => ({ error: "Not found", status: 404 })) },
    {
      title: "data where a text is declared",
      route: textRoute((ctx) => ctx.status(404).json({ id: 1 })),
      message: own,
    },
    {
      title: "a field beside the declared text",
      route: textRoute((ctx) => ctx.status(404).json({ error: "Not found", id: 1 })),
      message: own,
    },
    {
      title: "an error with a body of its own where a text is declared",
      route: textRoute(() => Promise.reject(new HttpError(404, "Not found", { body: { id: 1 } }))),
      message: own,
    },
    {
      title: "a ready text where the text of an error is declared",
      route: textRoute((ctx) => ctx.status(404).send("Not found")),
      message: own,
    },
    {
      title: "a Response where the text of an error is declared",
      route: textRoute(() => new Response("{}", { status: 404 })),
      message: own,
    },
    {
      title: "a body of its own where a guard declares a text",
      route: {
        handler: endpoint({ errors: { 404: "Not found" } }, () => wrong),
        middlewares: [new Guard({ user: 1 })],
      },
      message: own.replace("404", "401"),
    },
  ],
  { title: "an error of a guard", route: { handler: endpoint({ returns: Post }, () => wrong), middlewares: [Guard] } },
  {
    title: "an error of a guard without a contract",
    route: { handler: endpoint({ returns: Post }, () => wrong), middlewares: [undeclaredGuard] },
    message: "GET / does not declare the status 403, only 200",
  },
  {
    title: "a declared error with another body",
    route: {
      handler: endpoint({ returns: Post, errors: { 422: dto({ reason: string("required") }) } }, (ctx) =>
        ctx.fail(422, {} as never),
      ),
    },
    message: "GET / returned a body that its contract does not declare for 422:\n  reason: is required",
  },
  {
    title: "rejected input",
    route: { handler: endpoint({ query: dto({ n: integer("required") }), returns: Post }, () => wrong) },
  },
  {
    title: "a crash, which is logged as such",
    route: {
      handler: endpoint({ returns: Post }, () => {
        throw new Error("crash");
      }),
    },
  },
  { title: "an endpoint that declares no result", route: { handler: endpoint({ summary: "x" }, () => wrong) } },
  {
    title: "an undeclared error where only errors are declared",
    route: {
      handler: endpoint({ errors: { 404: "Not found" } }, () => {
        throw new HttpError(409, "Taken");
      }),
    },
    message: "GET / does not declare the status 409, only 404",
  },
  {
    title: "any result where only errors are declared",
    route: { handler: endpoint({ errors: { 404: "x" } }, () => wrong) },
  },
];

for (const { title, route, message } of cases) {
  test(`${message === undefined ? "declared" : "undeclared"}: ${title}`, async () => {
    const log = new LogLines();
    const reported: ContractError["undeclared"][] = [];
    const app = await createApp(moduleOf([{ method: "GET", path: "/", ...route }]), api(), {
      log: log.options,
      checkContracts: (response) => reported.push(response),
    });
    await app.fetch(new Request("http://localhost/", { headers: { "accept-encoding": "gzip" } }));
    await app.stop();
    assert.deepEqual(
      reported.map(({ message }) => message),
      message === undefined ? [] : [message],
    );
    if (message !== undefined) assert.ok(log.messages("error").includes(message));
  });
}

test("a test fails with what differs, unless it asks otherwise", async () => {
  const module = moduleOf([{ method: "GET", path: "/", handler: endpoint({ returns: Post }, () => wrong) }]);
  const app = await createTestApp(module, api(), { log: { level: "silent" } });
  await assert.rejects(app.request("GET", "/"), (error: ContractError) => {
    assert.ok(error instanceof ContractError);
    assert.deepEqual(
      error.undeclared.issues.map(({ path }) => path),
      ["id", "views"],
    );
    return true;
  });
  await app.stop();
  const lenient = await createTestApp(module, api(), { checkContracts: false });
  assert.equal((await lenient.request("GET", "/")).status, 200);
  await lenient.stop();
});

const undeclared: readonly [title: string, route: Pick<Route, "handler" | "middlewares">, sent: unknown][] = [
  ["a ready text", { handler: endpoint({ returns: Post }, (ctx) => ctx.status(200).send(secret) as never) }, undefined],
  ["a Response", { handler: endpoint({ returns: Post }, () => new Response(secret) as never) }, undefined],
  [
    "a Response with JSON",
    { handler: endpoint({ returns: Post }, () => Response.json(JSON.parse(secret)) as never) },
    { id: "1", views: 1 },
  ],
  ["an async generator", { handler: endpoint({ returns: Post }, () => chunks() as never) }, undefined],
  ["bytes", { handler: endpoint({ returns: Post }, () => Buffer.from(secret) as never) }, undefined],
  ["a middleware that adds a field", wrapped, { id: "1", views: 1 }],
  ["a middleware that returns a text", { ...wrapped, middlewares: [(ctx) => ctx.status(200).send(secret)] }, undefined],
  ["a middleware that returns a Response", { ...wrapped, middlewares: [() => new Response(secret)] }, undefined],
  ["a hook that replaces the body", hooked, undefined],
];
for (const [title, route, sent] of undeclared) {
  test(`undeclared fields do not leave in production: ${title}`, async () => {
    const module = moduleOf([{ method: "GET", path: "/", ...route }]);
    const app = await createApp(module, api(), { log: { level: "silent" }, checkContracts: false });
    const response = await app.fetch(new Request("http://localhost/"));
    const text = await response.text();
    await app.stop();
    assert.equal(text.includes("hunter2"), false);
    assert.equal(response.status, sent === undefined ? 500 : 200);
    if (sent !== undefined) assert.deepEqual(JSON.parse(text), sent);
  });
}

test("a wrong row fails the request that streams it, with its index, and not the next one", async () => {
  async function* many() {
    for (let index = 0; index < 5000; index++) yield index === 4000 ? wrong : { id: "x".repeat(50), views: index };
  }
  const app = await createTestApp(
    moduleOf([
      { method: "GET", path: "/", handler: endpoint({ returns: array(Post) }, () => jsonArray(many())) },
      { method: "GET", path: "/ok", handler: endpoint({ returns: Post }, () => ({ id: "1", views: 0 })) },
      {
        method: "GET",
        path: "/zod",
        handler: endpoint({ returns: z.array(z.object({ id: z.string() })) }, () => jsonArray(many()) as never),
      },
    ]),
    api(),
    { log: { level: "silent" } },
  );
  const response = await app.request("GET", "/");
  await assert.rejects(response.text(), (error: ContractError) => {
    assert.ok(error instanceof ContractError);
    assert.match(error.message, /\n {2}4000\.id: must be a string\n {2}4000\.views: must be at least 0$/);
    return true;
  });
  const zod = await app.request("GET", "/zod");
  await assert.rejects(zod.text(), /4000\.id: Invalid input/);
  assert.equal((await app.request("GET", "/ok")).status, 200);
  await app.stop();
});

test("requests beside each other fail with their own undeclared responses only", async () => {
  const failed = Promise.withResolvers<void>();
  const app = await createTestApp(
    moduleOf([
      { method: "GET", path: "/wrong", handler: endpoint({ returns: Post }, () => wrong) },
      {
        method: "GET",
        path: "/slow",
        handler: endpoint({ returns: Post }, async () => {
          await failed.promise;
          return { id: "1", views: 0 };
        }),
      },
    ]),
    api(),
    { log: { level: "silent" } },
  );
  const slow = app.request("GET", "/slow");
  await assert.rejects(app.request("GET", "/wrong"), ContractError);
  failed.resolve();
  assert.equal((await slow).status, 200);
  await app.stop();
});

test("a command of a test fails likewise", async () => {
  const module = moduleOf([{ path: "show", handler: endpoint({ returns: Post }, () => wrong) }]);
  const app = await createTestApp(module, cli({ name: "blog" }), { log: { level: "silent" } });
  await assert.rejects(app.run(["show"]), ContractError);
  await app.stop();
});

test("in production nothing is compared, unless the application asks for it", async () => {
  const before = process.env.NODE_ENV;
  const module = moduleOf([{ method: "GET", path: "/", handler: endpoint({ returns: Post }, () => wrong) }]);
  for (const [options, logged] of [
    [{}, 0],
    [{ checkContracts: true }, 1],
  ] as const) {
    const log = new LogLines();
    process.env.NODE_ENV = "production";
    const app = await createApp(module, api(), { log: log.options, ...options });
    process.env.NODE_ENV = before;
    const response = await app.fetch(new Request("http://localhost/"));
    assert.deepEqual(await response.json(), { id: 5, views: -1 });
    assert.equal(log.messages("error").length, logged);
    await app.stop();
  }
});
