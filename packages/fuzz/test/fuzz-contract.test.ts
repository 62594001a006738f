import assert from "node:assert/strict";
import { test } from "node:test";
import {
  api,
  array,
  boolean,
  type Contract,
  date,
  dto,
  endpoint,
  file,
  HttpError,
  integer,
  json,
  jsonArray,
  literal,
  type Middleware,
  nested,
  number,
  type Routes,
  record,
  route,
  type Schema,
  string,
  timestamp,
  union,
} from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { type FuzzOptions, fuzzContract } from "@tenon/fuzz";
import { moduleOf } from "../../core/test/support/transports.ts";

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
  const app = await createTestApp(moduleOf(routes), api(), { log: { level: "silent" } });
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
            body: { form: dto({ title: string("required"), picture: file("required") }) },
            returns: dto({ n: integer("required") }),
          },
          (_, { body }) => ({ n: body.picture.bytes.byteLength }),
        ),
      },
      {
        method: "POST",
        path: "/csv",
        handler: endpoint({ body: { content: "text/csv" }, returns: { content: "text/csv" } }, (_, { body }) => body),
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

test("a 5xx that is declared by its own number is not a failure", async () => {
  const { statuses } = await fuzz([
    { method: "GET", path: "/", handler: endpoint({ errors: { 503: "Busy" } }, (ctx) => ctx.fail(503, "Busy")) },
  ]);
  assert.deepEqual(Object.values(statuses), [{ 503: 200 }]);
});

test("26 texts and 1,000 requests end in time", { timeout: 240_000 }, async () => {
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

test("json() is sent as JSON text in forms, queries and headers", async () => {
  const Settings = dto({ settings: json("required"), tags: array(string("nullable")) });
  assert.ok((await countAccepted({ body: { form: Settings } })) > 100);
  assert.ok((await countAccepted({ body: { form: dto({ settings: json("required"), picture: file() }) } })) > 100);
  assert.ok((await countAccepted({ query: Settings })) > 100);
  assert.ok((await countAccepted({ headers: dto({ settings: json("required") }) })) > 100);
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
  for (const content of contents) assert.ok((await countAccepted({ body: { form: dto({ content }) } })) > 100);
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

/** A login: the one right request cannot be guessed. */
function loginRoute(password = string("required")): Routes {
  const Login = dto({ email: string("required", "email"), password, code: string() });
  const errors = { 401: "Wrong", 422: "Too short" } as const;
  return [
    route.post("/login", { body: Login, returns: { 204: null }, errors, operationId: "login" }, (ctx, { body }) => {
      if (body.password.length < 3) ctx.fail(422);
      if (body.password !== "secret" || body.code !== undefined) ctx.fail(401);
    }),
  ];
}

test("an operation of which every request was rejected fails the run, unless an example is accepted", async () => {
  await assert.rejects(
    fuzz(loginRoute()),
    /no generated request to login was accepted: every response was 401 or 422\. .* with example\(\) /,
  );
  const byContract = await fuzz(loginRoute(string("required").example("secret")));
  assert.equal(byContract.statuses.login?.[204], 1);
  const body = { email: "ada@example.com", password: "secret" };
  const byOption = await fuzz(loginRoute(), { examples: { login: { body } } });
  assert.equal(byOption.statuses.login?.[204], 1);
  await assert.rejects(fuzz(loginRoute(), { examples: { login: { body: { ...body, code: "1" } } } }), /401 or 422/);
});

test("examples are used in every part of a request, and win over other values", async () => {
  const Key = dto({ key: string("required").example("k") });
  const parts = {
    params: Key,
    query: dto({ key: string().example("k") }),
    headers: dto({ "x-key": string("required") }),
  };
  const show = route.get("/:key", { ...parts, errors: { 404: "None" }, operationId: "show" }, (ctx, input) => {
    const { params, query, headers } = input;
    return params.key === "k" && query.key === "k" && headers["x-key"] === "h" ? {} : ctx.fail(404);
  });
  const { statuses } = await fuzz([show], {
    params: { key: ["other"] },
    examples: { show: { params: { key: "k" }, headers: { "x-key": "h" } } },
  });
  assert.equal(statuses.show?.[200], 1);
});

test("all operations that were not reached are named at once", async () => {
  const failure = fuzz([...loginRoute(), ...postRoutes(new Set())]);
  await assert.rejects(failure, (error: Error) => {
    assert.match(error.message, /request to login was/);
    assert.match(error.message, /\nno request to DELETE \/posts\/\{id\} found/);
    assert.match(error.message, /\nno request to GET \/posts\/\{id\} found/);
    return true;
  });
});

test("objects and lists that may be null get wrong values too", async () => {
  const Role = dto({ id: integer("required") });
  const body = dto({
    role: nested(Role, "nullable"),
    roles: array(nested(Role), "nullable"),
    counts: record(integer(), "nullable"),
  });
  const { statuses } = await fuzz([
    route.post("/", { body, returns: { 204: null }, operationId: "role" }, () => undefined),
  ]);
  assert.ok((statuses.role?.[400] ?? 0) > 50, JSON.stringify(statuses));
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

/** A schema that accepts more than its JSON Schema says. */
function lax(
  properties: Record<string, object>,
  required: readonly string[] = [],
  accepts: (value: Record<string, unknown>) => boolean = () => true,
): Schema {
  const describe = () => ({ type: "object", properties, required });
  const validate = (value: unknown) =>
    isObject(value) && accepts(value) ? { value } : { issues: [{ message: "is wrong" }] };
  return {
    "~standard": { version: 1, vendor: "lax", validate, jsonSchema: { input: describe, output: describe } },
  } as Schema;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const isAbsentOr = (type: string, value: unknown) => value === undefined || typeof value === type;
const crash = (condition: boolean) => {
  if (condition) throw new Error("crash");
};
const text = { type: "string" };
const whole = { type: "integer" };
const Address = {
  type: "object",
  properties: { city: text, lines: { type: "array", items: text } },
  required: ["city"],
};
const plantedBugs: Readonly<
  Record<string, { readonly contract: Contract; readonly isHit?: (input: never) => boolean }>
> = {
  "a number over 32 bits": {
    contract: { body: dto({ count: integer("required"), note: string() }) },
    isHit: ({ body }: { body: { count: number } }) => body.count > 2 ** 31 - 1,
  },
  "the last number of 32 bits": {
    contract: { query: dto({ offset: integer("required", "min=0"), limit: integer("max=50") }) },
    isHit: ({ query }: { query: { offset: number } }) => query.offset === 2 ** 31,
  },
  "a text over 255 characters": {
    contract: { body: dto({ title: string("required"), note: string() }) },
    isHit: ({ body }: { body: { title: string } }) => body.title.length > 255,
  },
  "a text that grows in upper case": {
    contract: { body: dto({ name: string("required", "max=30"), note: string() }) },
    isHit: ({ body }: { body: { name: string } }) => body.name.toUpperCase().length > body.name.length,
  },
  "two optional values together": {
    contract: { query: dto({ since: date(), until: date(), author: string() }) },
    isHit: ({ query }: { query: { since?: string; until?: string } }) =>
      String(query.since) > String(query.until ?? "~"),
  },
  "a key of Object.prototype": {
    contract: { body: dto({ counts: record(integer(), "required") }) },
    isHit: ({ body }: { body: { counts: object } }) => Object.hasOwn(body.counts, "constructor"),
  },
  "equal items in a list": {
    contract: { body: dto({ tags: array(string("max=60"), "required"), title: string("required") }) },
    isHit: ({ body }: { body: { tags: string[] } }) => new Set(body.tags).size < body.tags.length,
  },
  "null in an optional field": {
    contract: {
      body: lax({ title: text, published: { type: "boolean" } }, [], ({ title, published }) => {
        return isAbsentOr("string", title) && (published === null || isAbsentOr("boolean", published));
      }),
    },
  },
  "a wrong value in a nested object": {
    contract: {
      body: lax({ address: Address, name: text }, [], ({ address = {}, name }) => {
        return isObject(address) && isAbsentOr("string", name);
      }),
    },
  },
  "a missing field of an object in a list": {
    contract: {
      body: lax({ addresses: { type: "array", items: Address } }, ["addresses"], ({ addresses }) => {
        const isAddress = (one: unknown) =>
          isObject(one) &&
          isAbsentOr("string", one.city) &&
          [one.lines ?? []].flat().every((line) => typeof line === "string");
        return Array.isArray(addresses) && addresses.every(isAddress);
      }),
    },
  },
  "an invalid path parameter": { contract: { params: lax({ id: whole }, ["id"]) } },
  "an invalid query parameter": { contract: { query: lax({ limit: { ...whole, maximum: 100 }, tag: text }) } },
  "an invalid header": { contract: { headers: lax({ "x-key": { ...text, format: "uuid" } }) } },
  "an invalid field of a form": {
    contract: { body: { form: lax({ age: { ...whole, minimum: 0 }, name: text }, ["name"]) } },
  },
};
const names = Object.keys(plantedBugs);

for (const seed of [1, 2]) {
  test(`14 planted bugs are found in 1,000 requests (seed ${seed})`, async () => {
    let sent = 0;
    const routes: Routes = Object.values(plantedBugs).map(({ contract, isHit }, index) => ({
      method: contract.body === undefined ? "GET" : "POST",
      path: contract.params === undefined ? `/bug${index}` : `/bug${index}/:id`,
      handler: endpoint(contract, (_, input) => {
        crash(isHit?.(input as never) === true);
        return {};
      }),
    }));
    const app = await createTestApp(moduleOf(routes), api(), { log: { level: "silent" } });
    const missed: string[] = [];
    for (const [index, name] of names.entries()) {
      const method = routes[index]?.method;
      const only = [`${method} ${String(routes[index]?.path).replace(":id", "{id}")}`];
      try {
        const report = await fuzzContract(app, { requests: 71, seed, only });
        sent += report.requests;
        missed.push(name);
      } catch (error) {
        const isFound = /which is not declared|although the .* (?:is invalid|is missing)/.test(
          (error as Error).message,
        );
        if (!isFound) throw error;
        sent += 71;
      }
    }
    await app.stop();
    assert.equal(names.length, 14);
    assert.ok(sent <= 1000, String(sent));
    assert.deepEqual(missed, []);
  });
}

test("the parameters of a failed request are those that it had, also where a function made them", async () => {
  const params = dto({ id: integer("required") });
  const handler = endpoint({ params, errors: { 404: "Not found" } }, (ctx, { params: { id } }) => {
    crash(id === 4711);
    return ctx.fail(404);
  });
  const failure = fuzz([{ method: "GET", path: "/:id", handler }], { params: () => ({ id: 4711, other: 1 }) });
  await assert.rejects(
    failure,
    /it has the status 500, which is not declared\n {2}params: \{"id":4711\}\n {2}seed: 42$/,
  );
});

test("a long URL that the HTTP server refuses does not fail the run", async () => {
  const query = dto(Object.fromEntries([..."abcdefgh"].map((name) => [name, string()])));
  const { statuses } = await fuzz([{ method: "GET", path: "/", handler: endpoint({ query }, () => null) }]);
  const [counts = {}] = Object.values(statuses);
  assert.deepEqual(Object.keys(counts), ["200", "414"]);
});

test("a wrong row at the end of a streamed list is found", async () => {
  const handler = endpoint({ returns: array(Post) }, () =>
    jsonArray(
      (async function* () {
        for (let index = 0; index < 10_000; index++) yield { title: index === 9999 ? "too long" : "x" };
      })(),
    ),
  );
  await assert.rejects(
    fuzz([{ method: "GET", path: "/", handler }], { requests: 1 }),
    /9999\.title: must have at most 5/,
  );
});

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
