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
    "a crash without a declared response",
    {
      method: "POST",
      path: "/",
      handler: endpoint({ body: Post }, (_, { body }) => {
        if (body.title.startsWith("x")) throw new Error("crash");
        return body;
      }),
    },
    /it has the status 500, which is not declared[\s\S]*body: \{"title":"x[^"]*"\}\n {2}seed: 42/,
  ],
  [
    "a 503 that only `default` covers",
    {
      method: "GET",
      path: "/",
      handler: endpoint({ errors: { 500: "Broken" } }, () => {
        throw new HttpError(503, "Busy");
      }),
    },
    /it has the status 503, which is not declared[\s\S]*seed: 42/,
  ],
  [
    "a crash of a plain handler",
    {
      method: "GET",
      path: "/",
      handler: () => {
        throw new Error("crash");
      },
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

test("a 5xx that is declared by its own number is no failure", async () => {
  const { statuses } = await fuzz([
    { method: "GET", path: "/", handler: endpoint({ errors: { 503: "Busy" } }, (ctx) => ctx.fail(503, "Busy")) },
  ]);
  assert.deepEqual(Object.values(statuses), [{ 503: 200 }]);
});

test("26 texts and 1,000 requests end in time", { timeout: 60_000 }, async () => {
  const Wide = dto(Object.fromEntries([..."abcdefghijklmnopqrstuvwxyz"].map((name) => [name, string("max=100")])));
  const { statuses } = await fuzz(
    [{ method: "POST", path: "/", handler: endpoint({ body: Wide, returns: Wide }, (_, { body }) => body) }],
    { requests: 1000 },
  );
  const [counts = {}] = Object.values(statuses);
  assert.ok((counts[200] ?? 0) > 500, JSON.stringify(counts));
});

/** How many of 200 requests such an endpoint accepts. */
async function countAccepted(contract: Parameters<typeof endpoint>[0]): Promise<number> {
  const { statuses } = await fuzz([{ method: "POST", path: "/", handler: endpoint(contract, () => null) }]);
  const [counts = {}] = Object.values(statuses);
  return counts[200] ?? 0;
}

test("json() is sent as JSON text in forms and queries", async () => {
  const Settings = dto({ settings: json("required"), tags: array(string("nullable")) });
  assert.ok((await countAccepted({ body: form(Settings) })) > 100);
  assert.ok((await countAccepted({ body: form(dto({ settings: json("required"), picture: file() })) })) > 100);
  assert.equal(await countAccepted({ query: Settings }), 200);
});

test("objects are rejected in forms", async () => {
  const inner = dto({ n: integer() });
  assert.ok((await countAccepted({ body: form(dto({ inner: nested(inner), name: string() })) })) > 15);
});

test("files have the declared type and size", async () => {
  const contents = [
    file("required", "type=image/png"),
    file("required", "type=image/png image/jpeg"),
    file("required", "type=image/*"),
    file("required", "max=3"),
    file("max=0"),
    array(file("max=2"), "required", "min=1"),
  ];
  for (const content of contents) assert.ok((await countAccepted({ body: form(dto({ content })) })) > 100);
});

test("an operation that accepts no generated request fails the run", async () => {
  const handler = endpoint({ body: Post }, () => {
    throw new HttpError(400, "Never valid");
  });
  const reject = { method: "POST", path: "/", handler } as const;
  await assert.rejects(
    fuzz([reject]),
    /no generated request to .* was accepted: every response was 400\. Declare its rules .* or name it in the option skip/,
  );
  const { requests } = await fuzz([reject], { requests: 1 });
  assert.equal(requests, 1);
});

const Bounded = dto({
  age: integer("required", "min=-40", "max=4000"),
  free: integer("required"),
  ratio: number("required", "min=-2.5", "max=1000"),
  text: string("max=100"),
  name: string("required", "min=3", "max=300"),
  tags: array(string(), "required"),
});
type BoundedValue = (typeof Bounded)["output"];
const planted: Readonly<Record<string, (value: BoundedValue) => boolean>> = {
  ...Object.fromEntries([0, 1, -1, -40, -39, 3999, 4000].map((age) => [`age ${age}`, (value) => value.age === age])),
  ...Object.fromEntries([0, 1, -1].map((free) => [`free ${free}`, (value) => value.free === free])),
  ...Object.fromEntries([0, 1, -1, -2.5, 1000].map((ratio) => [`ratio ${ratio}`, (value) => value.ratio === ratio])),
  "an empty text": ({ text }) => text === "",
  "a text of the maximum length": ({ text }) => text?.length === 100,
  "a text of the minimum length": ({ name }) => name.length === 3,
  "a text with more UTF-16 units than characters": ({ name }) => name.length > 300,
  "an empty list": ({ tags }) => tags.length === 0,
};

for (const [title, isHit] of Object.entries(planted)) {
  test(`boundaries are hit: ${title}`, async () => {
    const handler = endpoint({ body: Bounded, returns: Bounded }, (_, { body }) => {
      if (isHit(body)) throw new Error("crash");
      return body;
    });
    await assert.rejects(fuzz([{ method: "POST", path: "/", handler }]), /it has the status 500/);
  });
}

/** Posts with numbers as ids, which requests delete. */
function postRoutes(posts: Set<number>): Routes {
  const found = (ctx: { param(name: "id"): string }) => posts.has(Number(ctx.param("id")));
  const errors = { 404: "Post not found" } as const;
  const params = dto({ id: integer("required") });
  return [
    {
      method: "DELETE",
      path: "/posts/:id",
      handler: endpoint({ params, returns: { 204: null }, errors }, (ctx, { params: { id } }) =>
        posts.delete(id) ? undefined : ctx.fail(404),
      ),
    },
    {
      method: "GET",
      path: "/posts/:id",
      handler: endpoint({ params, returns: Post, errors }, (ctx) => (found(ctx) ? { title: "x" } : ctx.fail(404))),
    },
  ];
}

test("an operation that finds nothing fails the run and says what to do", async () => {
  const message =
    /no request to .*: every response was 404\. Give values that exist in the option params; .* params: async \(\) => \(\{ id: … \}\)\. Or name it in the option skip/;
  await assert.rejects(fuzz(postRoutes(new Set())), message);
  const routes = postRoutes(new Set([7]));
  await assert.rejects(fuzz(routes, { params: { id: [7] } }), message); // DELETE comes first
});

test("a function for params creates what each request needs", async () => {
  const posts = new Set<number>();
  const created: string[] = [];
  const { statuses } = await fuzz(postRoutes(posts), {
    params: async ({ method }) => {
      created.push(method);
      posts.add(created.length);
      return { id: created.length };
    },
  });
  const counts = Object.values(statuses);
  assert.ok((counts[0]?.[204] ?? 0) > 20, JSON.stringify(counts));
  assert.ok((counts[1]?.[200] ?? 0) > 20, JSON.stringify(counts));
  assert.deepEqual([...new Set(created)], ["DELETE", "GET"]);
});
