import assert from "node:assert/strict";
import { BindError, type Context, endpoint, type Schema } from "@tenon/core";
import { type } from "arktype";
import * as v from "valibot";
import * as z from "zod";
import type { Handler } from "../../src/request/handler.ts";
import type { InferOutput, StandardSchema } from "../../src/schema/standard-schema.ts";
import { testOnBothTransports } from "../support/transports.ts";
import type { Equal, Expect } from "../support/types.ts";

const ZodPost = z.object({
  title: z.string().min(2),
  tags: z.array(z.string()).default([]),
  at: z.object({ day: z.coerce.number() }),
});
const ValibotPost = v.object({
  title: v.pipe(v.string(), v.minLength(2)),
  tags: v.optional(v.array(v.string()), []),
  at: v.object({ day: v.pipe(v.unknown(), v.transform(Number), v.number()) }),
});
const ArkTypePost = type({
  title: "string >= 2",
  tags: type("string[]").default(() => []),
  at: { day: type("string | number").pipe((value) => Number(value)) },
});

interface Post {
  title: string;
  tags: string[];
  at: { day: number };
}
export type OutputChecks = [
  Expect<Equal<InferOutput<typeof ZodPost>, Post>>,
  Expect<Equal<InferOutput<typeof ValibotPost>, Post>>,
  Expect<Equal<InferOutput<typeof ArkTypePost>, Post>>,
];

function explain(schema: Schema): Handler {
  return async (ctx) => {
    try {
      return ctx.status(201).json(await ctx.bind(schema));
    } catch (error) {
      if (!(error instanceof BindError)) throw error;
      return ctx.status(error.status).json(error.issues);
    }
  };
}

const body = (value: unknown): RequestInit => ({
  body: typeof value === "string" ? value : JSON.stringify(value),
  headers: { "content-type": "application/json" },
});

for (const [name, schema] of [
  ["Zod", ZodPost],
  ["Valibot", ValibotPost],
  ["ArkType", ArkTypePost],
] as const) {
  testOnBothTransports(
    `bind() accepts a schema of ${name}, with its defaults and conversions`,
    [{ method: "POST", path: "/", handler: explain(schema) }],
    async (call) => {
      const response = await call("POST", "/", body({ title: "Hi", at: { day: "7" } }));
      assert.equal(response.status, 201);
      assert.deepEqual(await response.json(), { title: "Hi", tags: [], at: { day: 7 } });
    },
  );

  testOnBothTransports(
    `the issues of ${name} become BindError.issues with their paths`,
    [{ method: "POST", path: "/", handler: explain(schema) }],
    async (call) => {
      const response = await call("POST", "/", body({ title: "x", tags: ["a", 2], at: { day: 1 } }));
      assert.equal(response.status, 400);
      const issues = (await response.json()) as { path: string; rule: string; message: string }[]; // see explain()
      assert.deepEqual(issues.map(({ path }) => path).toSorted(), ["tags.1", "title"]);
      assert.ok(issues.every(({ rule, message }) => rule === "schema" && message !== ""));
    },
  );
}

testOnBothTransports(
  "a foreign schema never sees __proto__ keys, U+0000 or lone surrogates, in values or in keys",
  [{ method: "POST", path: "/", handler: explain(z.record(z.string(), z.unknown())) }],
  async (call) => {
    const clean = await call("POST", "/", body('{"a":{"__proto__":{"polluted":1},"b":1},"__proto__":{"x":1}}'));
    assert.equal(await clean.text(), '{"a":{"b":1}}');
    for (const [text, path] of [
      ['{"a":{"b":["x","\\u0000"]}}', "a.b.1"],
      ['{"a":"\\udc00"}', "a"],
      ['{"k\\u0000":1}', "k\u0000"],
    ] as const) {
      const response = await call("POST", "/", body(text));
      assert.equal(response.status, 400);
      const [issue] = (await response.json()) as { path: string; rule: string }[]; // see explain()
      assert.deepEqual([issue?.path, issue?.rule], [path, "text"]);
    }
  },
);

const sample: StandardSchema<unknown, string> = {
  "~standard": {
    version: 1,
    vendor: "test",
    validate: async (value) => {
      if (value === "throw") throw new Error("the schema itself is broken");
      if (value === "root") return { issues: [{ message: "as a whole" }] };
      if (value === "keys") return { issues: [{ message: "in a list", path: [{ key: "a" }, 0, Symbol("s")] }] };
      return { value: "accepted" };
    },
  },
};

testOnBothTransports(
  "any Standard Schema works, asynchronous or not, with every form of path",
  [{ method: "POST", path: "/", handler: explain(sample) }],
  async (call, _app, log) => {
    assert.equal(await (await call("POST", "/", body("1"))).json(), "accepted");
    const issuesOf = async (value: string) => (await call("POST", "/", body(JSON.stringify(value)))).json();
    assert.deepEqual(await issuesOf("root"), [{ path: "", keys: [], rule: "schema", message: "as a whole" }]);
    assert.deepEqual(await issuesOf("keys"), [
      { path: "a.0.Symbol(s)", keys: ["a", 0, "Symbol(s)"], rule: "schema", message: "in a list" },
    ]);
    assert.equal((await call("POST", "/", body('"throw"'))).status, 500);
    assert.deepEqual(log.causes(), ["the schema itself is broken"]);
  },
);

export const typed: Handler = async (ctx) => {
  const post: Post = await ctx.bind(ZodPost);
  const text: string = await ctx.bind(sample);
  // @ts-expect-error the output of the schema is not a number
  const count: number = await ctx.bind(ValibotPost);
  // @ts-expect-error a plain object is not a schema
  await ctx.bind({ title: "string" });
  // @ts-expect-error the handler must accept the schema's output
  endpoint({ body: ArkTypePost }, (_: Context, { body }: { body: number }) => body);
  return [post, text, count];
};
