import assert from "node:assert/strict";
import { test } from "node:test";
import {
  api,
  array,
  type Context,
  type Contract,
  createApp,
  dto,
  endpoint,
  HttpError,
  integer,
  jsonArray,
  type Middleware,
  type MiddlewareFunction,
  type MiddlewareLike,
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

type Parts = Pick<Route, "handler" | "middlewares">;
const good = { id: "1", views: 0 };
const secret = '{"id":"1","views":1,"password":"hunter2"}';
const Event = dto({ at: timestamp(), note: string() });
const Reason = dto({ reason: string("required") });

/** A route with this contract, whose handler may return what the compiler refuses. */
const route = (contract: Contract, handler: Handler, ...middlewares: readonly MiddlewareLike[]): Parts => ({
  handler: endpoint(contract, handler as never),
  middlewares,
});
const post = (handler: Handler, ...middlewares: readonly MiddlewareLike[]) =>
  route({ returns: Post }, handler, ...middlewares);
/** A route that declares the text of an error. */
const text = (handler: Handler, ...middlewares: readonly MiddlewareLike[]) =>
  route({ errors: { 404: "Not found" } }, handler, ...middlewares);
const csv = (handler: Handler) => route({ returns: { content: "text/csv" } }, handler);
const fails = (status: number, message: string, body?: object) => () => {
  throw new HttpError(status, message, { body });
};
const typed = (type: string) => (ctx: Context) => {
  ctx.response().setHeader("content-type", type);
  return good;
};

async function* chunks() {
  yield secret;
}
async function* rows() {
  yield good;
  yield wrong;
}

/** A route with a hook, in plain JavaScript, that tries to replace the body. */
const hooked = post(
  () => good,
  (ctx, next) => {
    ctx.onReply((outgoing) => void Object.assign(outgoing, { body: secret }));
    return next();
  },
);
/** Returns other data than its handler. */
const wrapping: MiddlewareFunction = async (_, next) => ({
  ...((await next()) as Reply<200, object>).value, // of the endpoints below
  ...JSON.parse(secret),
});

const body = (status: number, ...issues: readonly string[]) =>
  `GET / returned a body that its contract does not declare for ${status}:\n  ${issues.join("\n  ")}`;
const mistakes = ["id: must be a string", "views: must be at least 0"];
const missing = ["id: is required", "views: is required"];
const inRow = mistakes.map((mistake) => `1.${mistake}`);
const notText = "(body): must be the declared message, as ctx.fail() sends it: declare a schema for a body of its own";

/** Without a message, a response that its contract declares. */
const cases: readonly (readonly [title: string, parts: Parts, message?: string])[] = [
  ["a declared body", post(() => good)],
  ["wrong types and values", post(() => wrong), body(200, ...mistakes)],
  ["a wrong item of a list", route({ returns: array(Post) }, () => [good, wrong]), body(200, ...inRow)],
  ["a wrong row of a stream", route({ returns: array(Post) }, () => jsonArray(rows())), body(200, ...inRow)],
  [
    "an invalid optional date, which is not sent",
    route({ returns: Event }, () => ({ at: new Date(Number.NaN) })),
    body(200, "at: must be a timestamp such as 2026-11-17T09:30:00Z"),
  ],
  [
    "an object instead of an optional text, which is not sent",
    route({ returns: Event }, () => ({ note: { secret: 1 } })),
    body(200, "note: must be a string"),
  ],
  [
    "JSON with another content type",
    post(typed("application/vnd.blog+json")),
    "GET / declares application/json for 200, not application/vnd.blog+json",
  ],
  ["JSON with parameters of its content type", post(typed("application/json; charset=utf-8"))],
  [
    "a ready text where data is declared",
    post((ctx) => ctx.status(200).send(secret)),
    body(200, "(body): must be data, not a text that is sent as it is"),
  ],
  ["a Response with declared JSON", post(() => Response.json(good))],
  [
    "a Response with another body",
    post(() => Response.json({ id: 5 })),
    body(200, mistakes[0] ?? "", missing[1] ?? ""),
  ],
  [
    "a Response without JSON where data is declared",
    post(() => new Response(secret)),
    body(200, "(body): must be data or a Response with JSON"),
  ],
  [
    "an async generator where data is declared",
    post(() => chunks()),
    body(200, "(body): must be data, not bytes or a stream"),
  ],
  [
    "a Response of a middleware",
    post(
      () => good,
      () => Response.json({}),
    ),
    body(200, ...missing),
  ],
  [
    "declared fields that a middleware replaces",
    post(
      () => good,
      () => ({ views: 2, id: "2" }),
    ),
  ],
  ["a body that is compressed", post(() => good, compress({ threshold: 0 }))],
  [
    "another message than the declared ones",
    route({ returns: Post, errors: { 404: ["Post not found", "Gone"] } }, fails(404, "Missing")),
    'GET / declares "Post not found", "Gone" for 404, not the message "Missing"',
  ],
  [
    "a message where a body is declared",
    route({ returns: Post, errors: { 409: Post } }, fails(409, "Taken")),
    body(409, ...missing),
  ],
  [
    "another media type",
    csv(() => new Response("<p>", { headers: { "content-type": "text/html" } })),
    "GET / declares text/csv for 200, not text/html",
  ],
  [
    "the status of a Response",
    csv(() => new Response("", { status: 418 })),
    "GET / does not declare the status 418, only 200",
  ],
  [
    "a value that another library converts",
    route({ returns: z.object({ a: z.string().transform(Number) }) }, () => ({ a: "5" })),
  ],
  [
    "a value that another library rejects",
    route({ returns: z.object({ a: z.string() }) }, () => ({ a: 5 })),
    body(200, "a: Invalid input: expected string, received number"),
  ],
  [
    "an undeclared status",
    post((ctx) => ctx.status(202).json(wrong)),
    "GET / does not declare the status 202, only 200",
  ],
  ["an undeclared error", post(fails(404, "Not found")), "GET / does not declare the status 404, only 200"],
  [
    "an error that a middleware returned",
    text(
      () => good,
      () => ({ error: "Not found", status: 404 }),
    ),
  ],
  ["a declared text", text(() => ({ error: "Not found", status: 404 }))],
  ["data where a text is declared", text((ctx) => ctx.status(404).json({ id: 1 })), body(404, notText)],
  [
    "a field beside the declared text",
    text((ctx) => ctx.status(404).json({ error: "Not found", id: 1 })),
    body(404, notText),
  ],
  ["a body of its own where a text is declared", text(fails(404, "Not found", { id: 1 })), body(404, notText)],
  ["a ready text where a message is declared", text((ctx) => ctx.status(404).send("Not found")), body(404, notText)],
  ["a Response where a message is declared", text(() => new Response("{}", { status: 404 })), body(404, notText)],
  ["a body of its own of a guard with a text", text(() => good, new Guard({ user: 1 })), body(401, notText)],
  ["an error of a guard", post(() => good, Guard)],
  [
    "an error of a guard without a contract",
    post(() => good, fails(403, "Forbidden")),
    "GET / does not declare the status 403, only 200",
  ],
  [
    "a declared error with another body",
    route({ returns: Post, errors: { 422: Reason } }, (ctx) => ctx.fail(422, {})),
    body(422, "reason: is required"),
  ],
  ["rejected input", route({ query: dto({ n: integer("required") }), returns: Post }, () => wrong)],
  [
    "a crash, which is logged as such",
    post(() => {
      throw new Error("crash");
    }),
  ],
  ["an endpoint that declares no result", route({ summary: "x" }, () => wrong)],
  [
    "an undeclared error where only errors are declared",
    text(fails(409, "Taken")),
    "GET / does not declare the status 409, only 404",
  ],
  ["any result where only errors are declared", text(() => wrong)],
];

for (const [title, parts, message] of cases) {
  test(`${message === undefined ? "declared" : "undeclared"}: ${title}`, async () => {
    const log = new LogLines();
    const reported: ContractError["undeclared"][] = [];
    const app = await createApp(moduleOf([{ method: "GET", path: "/", ...parts }]), api(), {
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

const leaks: readonly (readonly [title: string, parts: Parts, sent?: unknown])[] = [
  ["a ready text", post((ctx) => ctx.status(200).send(secret))],
  ["a Response", post(() => new Response(secret))],
  ["a Response with JSON", post(() => Response.json(JSON.parse(secret))), { id: "1", views: 1 }],
  ["an async generator", post(() => chunks())],
  ["bytes", post(() => Buffer.from(secret))],
  ["a middleware that adds a field", post(() => good, wrapping), { id: "1", views: 1 }],
  [
    "a middleware that returns a text",
    post(
      () => good,
      (ctx) => ctx.status(200).send(secret),
    ),
  ],
  [
    "a middleware that returns a Response",
    post(
      () => good,
      () => new Response(secret),
    ),
  ],
  ["a hook that replaces the body", hooked],
];
for (const [title, parts, sent] of leaks) {
  test(`undeclared fields do not leave in production: ${title}`, async () => {
    const module = moduleOf([{ method: "GET", path: "/", ...parts }]);
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
