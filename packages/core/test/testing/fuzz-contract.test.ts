import assert from "node:assert/strict";
import { test } from "node:test";
import {
  api,
  array,
  boolean,
  content,
  date,
  dto,
  endpoint,
  file,
  form,
  HttpError,
  integer,
  json,
  literal,
  type Middleware,
  nested,
  number,
  type Routes,
  record,
  string,
  timestamp,
  union,
} from "@tenon/core";
import { createTestApp, type FuzzOptions, fuzzContract } from "@tenon/core/testing";
import { moduleOf } from "../support/transports.ts";

const Every = dto("Every", {
  name: string("required", "min=2", "max=9"),
  email: string("email"),
  site: string("url"),
  key: string("uuid"),
  code: string("pattern=^[A-Z]{3}$"),
  kind: literal(["a", 1, true]),
  age: integer("min=0", "max=3"),
  ratio: number("min=0.25", "max=0.5"),
  done: boolean("nullable"),
  day: date(),
  at: timestamp(),
  tags: array(string("min=1"), "max=2"),
  inner: nested(dto({ deep: array(nested(dto({ n: integer("required") }))) })),
  counts: record(integer(), "max=2"),
  shape: union("type", { circle: dto({ radius: number("required") }), square: dto({ side: number("required") }) }),
  any: json(),
});

async function fuzz(routes: Routes, options: FuzzOptions = {}) {
  const app = await createTestApp(moduleOf(routes), api());
  try {
    return await fuzzContract(app, { requests: 200, seed: 42, ...options });
  } finally {
    await app.stop();
  }
}

test("every kind of field gets valid values, and invalid bodies are rejected", async () => {
  const { requests, statuses } = await fuzz([
    {
      method: "POST",
      path: "/every",
      handler: endpoint({ body: Every, returns: { 201: Every } }, (_, { body }) => body),
    },
  ]);
  assert.equal(requests, 200);
  const [counts = {}] = Object.values(statuses);
  assert.ok((counts[201] ?? 0) > 80, JSON.stringify(counts));
  assert.ok((counts[400] ?? 0) > 30, JSON.stringify(counts));
});

test("parameters, queries, headers, forms, files and other bodies are sent", async () => {
  const { statuses } = await fuzz(
    [
      {
        method: "GET",
        path: "/posts/:id",
        handler: endpoint(
          {
            params: dto({ id: integer("required", "min=1", "max=5") }),
            query: dto({ limit: integer("required", "min=1"), tag: array(string()) }),
            headers: dto({ "x-times": integer("required") }),
            returns: dto({ id: integer("required") }),
            errors: { 404: "Not found" },
          },
          (ctx, { params }) => (params.id === 3 ? { id: 3 } : ctx.fail(404)),
        ),
      },
      {
        method: "POST",
        path: "/upload",
        handler: endpoint(
          {
            body: form(dto({ title: string("required"), picture: file("required") })),
            returns: dto({ n: integer("required") }),
          },
          (_, { body }) => ({ n: body.picture.bytes.byteLength }),
        ),
      },
      {
        method: "POST",
        path: "/csv",
        handler: endpoint({ body: content("text/csv"), returns: content("text/csv") }, (_, { body }) => body),
      },
    ],
    { requests: 150 },
  );
  const seen = Object.values(statuses).map((counts) => Object.keys(counts));
  assert.deepEqual(
    seen.map((list) => list.includes("200")),
    [true, true, true],
    JSON.stringify(statuses),
  );
});

const Post = dto({ title: string("required", "max=5") });
const failing: readonly [title: string, route: Routes[number], text: RegExp][] = [
  [
    "an undeclared status",
    {
      method: "POST",
      path: "/",
      handler: endpoint({ body: Post, returns: Post }, (_, { body }) => {
        if (body.title.length === 3) throw new HttpError(418, "teapot");
        return body;
      }),
    },
    /POST \/ does not declare the status 418[\s\S]*body: \{"title":"[^"]{3}"\}\n {2}seed: 42/,
  ],
  [
    "a crash",
    {
      method: "POST",
      path: "/",
      handler: endpoint({ body: Post, returns: Post }, (_, { body }) => {
        if (body.title.startsWith("x")) throw new Error("crash");
        return body;
      }),
    },
    /it has the status 500, which is not declared[\s\S]*seed: 42/,
  ],
  [
    "a body that is not as declared",
    {
      method: "GET",
      path: "/",
      handler: endpoint({ returns: Post }, () => ({ title: "too long" })),
    },
    /returned a body that its contract does not declare for 200:\n {2}title: must have at most 5 characters/,
  ],
];

for (const [title, route, text] of failing) {
  test(`${title} is reported with a small request and its seed`, async () => {
    await assert.rejects(fuzz([route], { requests: 500 }), (error: Error) => {
      assert.match(error.message, text);
      return true;
    });
  });
}

class Guard implements Middleware {
  readonly contract = {
    security: { bearer: { type: "http", scheme: "bearer" } },
    errors: { 401: "Unauthorized" },
  } as const;

  handle(ctx: Parameters<Middleware["handle"]>[0], next: Parameters<Middleware["handle"]>[1]) {
    if (ctx.header("authorization") !== "Bearer good") throw new HttpError(401, "Unauthorized");
    return next();
  }
}

const guarded: Routes = [
  { method: "GET", path: "/", middlewares: [Guard], handler: endpoint({ returns: Post }, () => ({ title: "x" })) },
];

test("a guard that rejects every request fails the run, unless credentials are given", async () => {
  await assert.rejects(fuzz(guarded), /every request to .* was rejected with 401\. Return credentials for bearer/);
  const { statuses } = await fuzz(guarded, { headers: () => ({ authorization: "Bearer good" }) });
  assert.deepEqual(
    Object.values(statuses).map((counts) => Object.keys(counts)),
    [["200"]],
  );
});

test("only and skip choose operations, and none is an error", async () => {
  await assert.rejects(fuzz(guarded, { only: ["nothing"] }), /found no operation/);
  await assert.rejects(fuzz([]), /found no operation/);
});
