import assert from "node:assert/strict";
import { array, BindError, type Context, dto, integer, nested, parse, type Routes, route, string } from "@tenon/core";
import { type Call, testOnBothTransports } from "../support/transports.ts";

const PostDTO = dto({
  title: string("required", "min=2"),
  count: integer(),
  tags: array(string()),
  author: nested(dto({ email: string("email") })),
});

/** Returns the value, or the issues, which clients do not see by default. */
async function explain(ctx: Context) {
  try {
    return ctx.status(201).json(await ctx.bind(PostDTO));
  } catch (error) {
    if (!(error instanceof BindError)) throw error;
    for (const { path, keys } of error.issues) assert.equal((keys ?? []).join("."), path);
    return ctx.status(error.status).json({ issues: error.issues.map(({ keys: _, ...issue }) => issue) });
  }
}

const routes: Routes = [
  { method: "POST", path: "/explain", handler: explain },
  { method: "POST", path: "/", handler: async (ctx) => ctx.status(201).json(await ctx.bind(PostDTO)) },
  { method: "POST", path: "/twice", handler: async (ctx) => [await ctx.bind(PostDTO), await ctx.bind(PostDTO)] },
  route.post("/swallows", async (ctx) => {
    await ctx.bind(PostDTO).catch(() => undefined);
    return "continued";
  }),
];

/** Sends a body as bytes, so that fetch adds no content type. */
function post(call: Call, path: string, body: string | Uint8Array<ArrayBuffer>, type?: string): Promise<Response> {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  return call("POST", path, { body: bytes, ...(type === undefined ? {} : { headers: { "content-type": type } }) });
}

testOnBothTransports(
  "bind() returns the validated value, without fields that the DTO does not declare",
  routes,
  async (call) => {
    const body = {
      title: "Hi",
      count: 3,
      tags: ["a"],
      author: { email: "a@b.co", admin: true },
      id: "mine",
      role: "admin",
    };
    const response = await post(call, "/", JSON.stringify(body), "application/json");
    assert.equal(response.status, 201);
    assert.deepEqual(await response.json(), { title: "Hi", count: 3, tags: ["a"], author: { email: "a@b.co" } });
  },
);

testOnBothTransports("bind() may be called again, and the body is read once", routes, async (call) => {
  const response = await post(call, "/twice", '{"title":"Hi"}', "application/json");
  assert.deepEqual(await response.json(), [{ title: "Hi" }, { title: "Hi" }]);
});

testOnBothTransports(
  "an invalid body is 400 with `Invalid request` and no other field, and is logged",
  routes,
  async (call, _app, log) => {
    const response = await post(call, "/", '{"title":"x","author":{"email":"hunter2"}}', "application/json");
    assert.equal(response.status, 400);
    assert.deepEqual(await response.json(), { error: "Invalid request" });
    const line = log.all.find(({ msg }) => msg === "POST /: the input was rejected");
    assert.ok(line !== undefined && line.level === "info");
    assert.match(JSON.stringify(line), /author\.email/);
    assert.equal(JSON.stringify(log.all).includes("hunter2"), false, "values stay out of the log");
    assert.deepEqual(log.messages("error"), []);
  },
);

testOnBothTransports("a handler may catch a BindError and go on", routes, async (call) => {
  assert.equal(await (await post(call, "/swallows", "{", "application/json")).json(), "continued");
});

testOnBothTransports("BindError.issues have path, rule and message", routes, async (call) => {
  const body = { title: "x", count: 1.5, tags: ["a", 2], author: { email: "no" } };
  const response = await post(call, "/explain", JSON.stringify(body), "application/json");
  assert.equal(response.status, 400);
  assert.deepEqual(await response.json(), {
    issues: [
      { path: "title", rule: "min", message: "must have at least 2 characters" },
      { path: "count", rule: "integer", message: "must be a whole number" },
      { path: "tags.1", rule: "string", message: "must be a string" },
      { path: "author.email", rule: "email", message: "must be an e-mail address" },
    ],
  });
});

const deep = (depth: number) => `{"title":"Hi","tags":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`;
const invalidUtf8 = new Uint8Array([...Buffer.from('{"title":"'), 0xff, 0xfe, ...Buffer.from('"}')]);
const unreadable: readonly [title: string, body: string | Uint8Array<ArrayBuffer>, issue: object][] = [
  ["no body", "", { path: "", rule: "json", message: "is not JSON" }],
  ["text that is not JSON", "title=secret", { path: "", rule: "json", message: "is not JSON" }],
  ["JSON that is cut off", '{"title":"Hi"', { path: "", rule: "json", message: "is not JSON" }],
  ["two values", '{"title":"Hi"}{}', { path: "", rule: "json", message: "is not JSON" }],
  ["a comment", '{"title":"Hi"/**/}', { path: "", rule: "json", message: "is not JSON" }],
  ["a raw control character", '{"title":"a\u0000b"}', { path: "", rule: "json", message: "is not JSON" }],
  ["invalid UTF-8", invalidUtf8, { path: "", rule: "json", message: "is not UTF-8" }],
  ["65 levels", deep(65), { path: "", rule: "json", message: "is nested deeper than 64" }],
  ["200,000 levels (B6)", deep(200_000), { path: "", rule: "json", message: "is nested deeper than 64" }],
  ["200,000 open brackets", "[".repeat(200_000), { path: "", rule: "json", message: "is nested deeper than 64" }],
  ["a list", "[]", { path: "", rule: "object", message: "must be an object" }],
  ["null", "null", { path: "", rule: "object", message: "must be an object" }],
  ["text", '"title"', { path: "", rule: "object", message: "must be an object" }],
  ["U+0000", '{"title":"a\\u0000b"}', { path: "title", rule: "text", message: "contains U+0000" }],
  [
    "a lone surrogate (A5)",
    '{"title":"Hi","tags":["ok","\\ud800"]}',
    { path: "tags.1", rule: "text", message: "is not well-formed Unicode" },
  ],
];
for (const [title, body, issue] of unreadable) {
  testOnBothTransports(`a body is refused with 400: ${title} (B11)`, routes, async (call) => {
    const response = await post(call, "/explain", body, "application/json");
    assert.equal(response.status, 400);
    assert.deepEqual(await response.json(), { issues: [issue] });
  });
}

const contentTypes: readonly [type: string | undefined, status: number][] = [
  [undefined, 201],
  ["application/json", 201],
  ["Application/JSON", 201],
  ["application/json; charset=utf-8", 201],
  ['application/json;charset="utf-8"', 201],
  ["application/problem+json", 201],
  ["application/vnd.api+json; version=1", 201],
  ["application/jsonp", 400],
  ["application/json-patch", 400],
  ["text/json", 400],
  ["text/plain", 400],
  ["text/plain+json", 400],
  ["application/x-www-form-urlencoded", 400],
  ["multipart/form-data; boundary=x", 400],
];
testOnBothTransports(
  "JSON content types and no content type are read as JSON, others are 400",
  routes,
  async (call) => {
    for (const [type, status] of contentTypes) {
      const response = await post(call, "/", '{"title":"Hi"}', type);
      assert.equal(response.status, status, String(type));
      if (status === 400) assert.deepEqual(await response.json(), { error: "Invalid request" });
    }
  },
);

testOnBothTransports(
  "parse() reads a value, and its BindError is a 400",
  [{ method: "POST", path: "/parse", handler: async (ctx) => parse(PostDTO, JSON.parse(ctx.header("x-post"))) }],
  async (call) => {
    const send = (value: object) => call("POST", "/parse", { headers: { "x-post": JSON.stringify(value) } });
    assert.deepEqual(await (await send({ title: "Hi", other: 1 })).json(), { title: "Hi" });
    assert.equal((await send({ title: "H", count: "1" })).status, 400);
    assert.throws(() => parse(PostDTO, { title: "H", count: "1" }), {
      name: "BindError",
      issues: [
        { path: "title", keys: ["title"], rule: "min", message: "must have at least 2 characters" },
        { path: "count", keys: ["count"], rule: "integer", message: "must be a whole number" },
      ],
    });
    assert.equal(parse(integer("min=1"), 7) satisfies number, 7);
  },
);

testOnBothTransports(
  "the issue of a form without a body says so",
  [{ method: "POST", path: "/", handler: async (ctx) => (await ctx.request().form()).files.length }],
  async (call, _, log) => {
    assert.equal((await call("POST", "/", {})).status, 400);
    const [line] = log.all.filter(({ issues }) => issues !== undefined);
    const message = "is missing, or has no content type";
    assert.deepEqual(line?.issues, [{ path: "(body)", rule: "content-type", message }]);
  },
);

testOnBothTransports(
  "64 levels of JSON pass the depth limit, and brackets in text do not count",
  routes,
  async (call) => {
    const nested64 = await post(call, "/explain", deep(64), "application/json");
    assert.deepEqual(await nested64.json(), {
      issues: [{ path: "tags.0", rule: "string", message: "must be a string" }],
    });
    const text = JSON.stringify({ title: `${"[{".repeat(100)}"\\` });
    assert.equal((await post(call, "/", text, "application/json")).status, 201);
  },
);

testOnBothTransports("pairs of surrogates and a byte order mark are accepted", routes, async (call) => {
  const response = await post(call, "/", '\ufeff{"title":"\\ud83d\\ude42🙂"}', "application/json");
  assert.equal(response.status, 201);
  assert.deepEqual(await response.json(), { title: "🙂🙂" });
});
