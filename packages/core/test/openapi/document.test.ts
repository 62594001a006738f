import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type ApiOptions,
  api,
  array,
  type Contract,
  defineModule,
  dto,
  type ErrorFormat,
  endpoint,
  errorFormat,
  integer,
  type MiddlewareFunction,
  nested,
  type Routes,
  route,
  string,
} from "@tenon/core";
import { rateLimit } from "@tenon/core/middleware";
import type { OpenApiDocument } from "@tenon/core/platform";
import { createTestApp } from "@tenon/core/testing";
import { web } from "@tenon/web";
import { z } from "zod";
import { everyKind } from "./every-kind.ts";
import { assertValid } from "./lint.ts";

const views = { has: () => false, render: () => "" };

/** An application with these routes, in a module "posts". */
function toApp(
  routes: Routes,
  openapi: ApiOptions["openapi"] = {},
  errors: NonNullable<ApiOptions["errors"]> = "plain",
) {
  class PostsController {
    routes(): Routes {
      return routes;
    }
  }
  return createTestApp(defineModule({ name: "posts", declarations: [PostsController] }), api({ openapi, errors }));
}

type Schemas = Readonly<Record<string, { readonly properties?: Readonly<Record<string, unknown>> }>>;

const schemasOf = ({ components }: OpenApiDocument) => (components as { readonly schemas?: Schemas }).schemas ?? {};

/** The components of DTOs. */
const dtosOf = (document: OpenApiDocument) =>
  Object.fromEntries(Object.entries(schemasOf(document)).filter(([name]) => !/Error(?:\d+|_\w+)?$/.test(name)));

const get = (path: string, contract: Contract = {}, middlewares: readonly MiddlewareFunction[] = []) => ({
  method: "GET" as const,
  path,
  handler: endpoint(contract, () => undefined as never),
  middlewares,
});
const post = (path: string, contract: Contract) => ({
  method: "POST" as const,
  path,
  handler: endpoint(contract, () => undefined as never),
});

for (const errors of ["plain", "issues", "problem"] as const) {
  test(`every kind of field, body, error, guard and content is valid OpenAPI 3.1, with ${errors} errors`, async () => {
    const app = await createTestApp(everyKind, api({ errors }));
    await assertValid(await app.openapi());
  });
}

test("pages are valid OpenAPI 3.1 too, and their JSON bodies may be forms", async () => {
  const app = await createTestApp(everyKind, web({ views, docs: { public: true, path: false } }));
  const document = await app.openapi();
  await assertValid(document);
  assert.deepEqual(Object.keys(document.paths["/things"]?.post?.requestBody?.content ?? {}), [
    "application/json",
    "application/x-www-form-urlencoded",
    "multipart/form-data",
  ]);
  assert.ok(!("/openapi.json" in document.paths), "the routes of the platform are not of the interface");
});

test("the document names the application as its options say", async () => {
  const plain = await (await toApp([])).openapi();
  assert.deepEqual(plain.info, { title: "posts", version: "0.0.0" });
  assert.deepEqual(plain.servers, [{ url: "/" }]);
  const servers = [{ url: "https://api.example.org", description: "Production" }];
  const app = await toApp([get("/posts", { tags: ["blog"] })], {
    title: "Blog",
    version: "1.2.0",
    servers,
    tags: { blog: "All of it" },
  });
  const document = await app.openapi();
  assert.deepEqual(document.info, { title: "Blog", version: "1.2.0" });
  assert.deepEqual(document.servers, servers);
  assert.deepEqual(document.tags, [{ name: "blog", description: "All of it" }]);
});

test("a route that is added at run time is in the document, and one that is removed is not", async () => {
  const app = await toApp([get("/posts")]);
  assert.deepEqual(Object.keys((await app.openapi()).paths), ["/posts"]);
  assert.equal(await app.openapi(), await app.openapi(), "the same document while the routes are the same");
  app.routes.add(get("/drafts"));
  assert.deepEqual(Object.keys((await app.openapi()).paths).sort(), ["/drafts", "/posts"]);
  app.routes.remove("GET", "/posts");
  assert.deepEqual(Object.keys((await app.openapi()).paths), ["/drafts"]);
});

test("a hidden route is reachable and listed, and the document has neither it nor its DTOs", async () => {
  const Internal = dto("Internal", { id: string() });
  const internal = route.under("/internal", { hidden: true });
  const app = await toApp([
    get("/posts", { operationId: "posts.index" }),
    get("/raw", { hidden: true, operationId: "posts.index", returns: { 204: null, 200: Internal } }),
    internal.get("/stats", { returns: { 200: dto("Internal", { count: integer() }), 204: null } }, () => undefined),
  ]);
  const document = await app.openapi();
  assert.deepEqual([Object.keys(document.paths), dtosOf(document)], [["/posts"], {}]);
  assert.deepEqual(
    app.routes.list().map(({ path }) => path),
    ["/posts", "/raw", "/internal/stats"],
  );
  assert.equal((await app.request("GET", "/internal/stats")).status, 204);
  await app.stop();
});

test("an operation has the name of its controller and its handler", async () => {
  class APIKeysController {
    routes(): Routes {
      return [
        { method: "GET", path: "/keys", handler: this.index },
        { method: "DELETE", path: "/keys/:id", handler: this.delete },
        { method: "GET", path: "/inline", handler: () => [] },
      ];
    }
    readonly index = endpoint({}, () => []);
    delete() {
      return [];
    }
  }
  const app = await createTestApp(defineModule({ name: "keys", declarations: [APIKeysController] }), api());
  const { paths } = await app.openapi();
  assert.equal(paths["/keys"]?.get?.operationId, "apiKeys.index");
  assert.equal(paths["/keys/{id}"]?.delete?.operationId, "apiKeys.delete");
  assert.equal(paths["/inline"]?.get?.operationId, undefined);
  assert.equal(paths["/inline"]?.get?.summary, "GET /inline");
});

test("two plain handlers of one name have no operation id, and an endpoint keeps its own", async () => {
  class PostsController {
    routes(): Routes {
      return [{ method: "GET", path: "/posts", handler: this.index }];
    }
    readonly index = endpoint({}, () => []);
  }
  const app = await createTestApp(defineModule({ name: "posts", declarations: [PostsController] }), api());
  const index = () => [];
  app.routes.add({ method: "GET", path: "/a", handler: index }, { owner: "Posts" });
  app.routes.add({ method: "GET", path: "/b", handler: index }, { owner: "Other" });
  app.routes.add({ method: "GET", path: "/c", handler: index }, { owner: "Other" });
  const { paths } = await app.openapi();
  assert.deepEqual(
    Object.entries(paths).map(([path, { get: operation }]) => [path, operation?.operationId]),
    [
      ["/posts", "posts.index"],
      ["/a", undefined],
      ["/b", undefined],
      ["/c", undefined],
    ],
  );
});

test("paths of one shape are one path, with the names of the first", async () => {
  const id = dto({ slug: string("required").describe("Its short name.") });
  const app = await toApp([
    get("/posts/:id"),
    { ...get("/posts/:slug", { params: id }), method: "DELETE" },
    get("/files/:path/*"),
    get("/100%/a b/*"),
  ]);
  const document = await app.openapi();
  assert.deepEqual(Object.keys(document.paths), ["/posts/{id}", "/files/{path}/{path2}", "/100%25/a%20b/{path}"]);
  const [parameter] = document.paths["/posts/{id}"]?.delete?.parameters ?? [];
  assert.equal(parameter?.name, "id");
  assert.equal(parameter?.description, "Its short name.");
  const marks = document.paths["/files/{path}/{path2}"]?.get?.parameters?.map((one) => one["x-tenon-rest"]);
  assert.deepEqual(marks, [undefined, true]);
  await assertValid(document);
});

test("a DTO is one component, and two only where requests and responses differ", async () => {
  const Same = dto("Same", { text: string() });
  const Different = dto("Different", { text: string("default=x"), inner: nested(Same) });
  const Outer = dto("Outer", { inner: array(Different) });
  const Sent = dto("Sent", { text: string("default=x") });
  const app = await toApp([
    post("/a", { body: Outer, returns: Outer }),
    post("/b", { body: Same, returns: { 200: Same, 201: Same } }),
    post("/c", { body: Sent }),
  ]);
  const document = await app.openapi();
  const schemas = dtosOf(document);
  assert.deepEqual(Object.keys(schemas), ["Different", "DifferentInput", "Outer", "OuterInput", "Same", "Sent"]);
  assert.deepEqual(document.paths["/a"]?.post?.requestBody?.content["application/json"], {
    schema: { $ref: "#/components/schemas/OuterInput" },
  });
  assert.deepEqual(schemas.OuterInput?.properties, {
    inner: { type: "array", items: { $ref: "#/components/schemas/DifferentInput" } },
  });
});

test("definitions of other libraries move to the components, with references that resolve", async () => {
  const Node = z.object({
    "a/b~c": z.string(),
    get next() {
      return Node.optional();
    },
  });
  const List = z.object({ first: Node, second: Node });
  const app = await toApp([
    post("/a", { body: List, returns: List }),
    post("/b", { body: Node, query: z.object({ n: z.number() }) }),
  ]);
  const document = await app.openapi();
  await assertValid(document);
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)];
  assert.ok(references.length > 0);
  for (const [, name = ""] of references) assert.ok(Object.hasOwn(document.components.schemas as object, name), name);
  assert.ok(!JSON.stringify(document).includes("$defs"));
  assert.deepEqual(document.paths["/b"]?.post?.parameters?.[0], {
    name: "n",
    in: "query",
    required: true,
    schema: { type: "number" },
  });
});

test("all messages of a status are in one schema, those of the guards of the application included", async () => {
  class PostsController {
    routes(): Routes {
      return [{ method: "POST", path: "/posts", handler: this.create, middlewares: [forbid("Not yours")] }];
    }
    readonly create = endpoint({ errors: { 403: ["Locked", "Not yours"] } }, () => []);
  }
  const forbid = (message: string): MiddlewareFunction =>
    Object.assign((_ctx: unknown, next: () => unknown) => next(), { contract: { errors: { 403: message } } });
  const module = defineModule({ name: "posts", declarations: [PostsController] });
  const middlewares = [forbid("No"), rateLimit({ limit: 1, window: 1 })];
  const app = await createTestApp(module, api({ middlewares, errors: "problem" }));
  const document = await app.openapi();
  const responses = document.paths["/posts"]?.post?.responses;
  assert.deepEqual(Object.keys(responses ?? {}), ["403", "429", "default"]);
  const { schema } = responses?.["403"]?.content?.["application/problem+json"] ?? {};
  assert.deepEqual(schema, { $ref: "#/components/schemas/LockedOrNoOrNotYoursError403" });
  assert.deepEqual(schemasOf(document).LockedOrNoOrNotYoursError403?.properties?.detail, {
    type: "string",
    enum: ["Locked", "No", "Not yours"],
  });
});

const errorSchemas = async (errors: NonNullable<ApiOptions["errors"]>, list: Routes) => {
  const app = await toApp(list, {}, errors);
  const document = await app.openapi();
  await assertValid(document);
  const text = JSON.stringify(document.paths);
  return { schemas: schemasOf(document), references: [...text.matchAll(/schemas\/(\w+)"/g)].map(([, name]) => name) };
};

test("the name of a component does not depend on other routes and their order", async () => {
  const messages = ["Taken", "Locked", "Gone", "No", "Not yours", "Not found", "The draft was changed"];
  const dependent: ErrorFormat = {
    type: "application/json",
    toBody: () => ({}),
    toSchema: (status, known) => ({ title: "Failure", type: "object", properties: { [status]: { enum: known } } }),
  };
  const zod = (value: z.ZodType) => z.object({ inner: value.meta({ id: "Inner" }) });
  const list = [
    ...messages.flatMap((message, index) => [
      post(`/one${index}`, { errors: { 404: message, 409: message } }),
      post(`/two${index}`, { errors: { 401: [message, messages[index + 1] ?? "Unauthorized"] } }),
    ]),
    ...[z.object({ a: z.string() }), z.object({ b: z.int() }), z.object({ a: z.string() })].map((inner, index) =>
      post(`/zod${index}`, { body: zod(inner) }),
    ),
  ];
  const isOrdered = (name: string | undefined) =>
    /\d+$/.test(name?.replace(/(_\w+|Error\d{3}|Failure\d{3})$/, "") ?? "");
  for (const format of ["plain", "issues", "problem", dependent] as const) {
    const { references, schemas } = await errorSchemas(format, list);
    const { references: reversed } = await errorSchemas(format, list.toReversed());
    assert.deepEqual(references.toSorted(), reversed.toSorted());
    assert.deepEqual(Object.keys(schemas).filter(isOrdered), []);
    for (const [index, route] of list.slice(0, messages.length * 2).entries()) {
      const { references: alone } = await errorSchemas(format, [route]);
      const start = index % 2 === 0 ? Math.floor(index / 2) * 3 : Math.floor(index / 2) * 3 + 2;
      assert.deepEqual(alone, references.slice(start, start + alone.length), `${route.path}`);
    }
  }
});

test("the document declares a body that is not JSON with a status of its own", async () => {
  const list = [post("/a", { body: dto({ title: string("required") }) }), get("/b", { query: dto({ n: integer() }) })];
  const app = await toApp(list, {}, errorFormat("issues", { rejectedStatus: 422, malformedStatus: 409 }));
  const { "/a": a, "/b": b } = (await app.openapi()).paths;
  assert.deepEqual(Object.keys(a?.post?.responses ?? {}), ["400", "409", "413", "422", "default"]);
  assert.deepEqual(Object.keys(b?.get?.responses ?? {}), ["400", "422", "default"]);
});

test("a guard with `methods` concerns no other method", async () => {
  const guard: MiddlewareFunction = Object.assign((_ctx: unknown, next: () => unknown) => next(), {
    contract: { errors: { 403: "No" }, methods: ["POST"] },
  });
  const app = await toApp([{ path: "/posts", middlewares: [guard], children: [get("/"), post("/", {})] }]);
  const { get: reading, post: writing } = (await app.openapi()).paths["/posts"] ?? {};
  assert.deepEqual(Object.keys(reading?.responses ?? {}), ["default"]);
  assert.deepEqual(Object.keys(writing?.responses ?? {}), ["403", "default"]);
});

test("an operation has the headers that its middlewares read, unless its contract declares them", async () => {
  const reading = (headers: Record<string, string>): MiddlewareFunction =>
    Object.assign((_ctx: unknown, next: () => unknown) => next(), { contract: { headers } });
  const language = reading({ "x-language": "The language of texts.", "x-tenant": "The tenant." });
  const contract = { headers: dto({ "x-tenant": integer("required") }) };
  const app = await toApp([get("/one", {}, [language, language]), get("/two", contract, [language])]);
  const document = await app.openapi();
  await assertValid(document);
  const lang = { name: "x-language", in: "header", description: "The language of texts.", schema: { type: "string" } };
  const tenant = { name: "x-tenant", in: "header" };
  assert.deepEqual(document.paths["/one"]?.get?.parameters, [
    lang,
    { ...tenant, description: "The tenant.", schema: { type: "string" } },
  ]);
  assert.deepEqual(document.paths["/two"]?.get?.parameters, [
    lang,
    { ...tenant, required: true, schema: { type: "integer" } },
  ]);
});

test("an operation names the policies of its route, for people and for programs", async () => {
  const policy = (rule: string): MiddlewareFunction =>
    Object.assign((_ctx: unknown, next: () => unknown) => next(), { contract: { policy: rule } });
  const [owner, member] = [policy("post owner"), policy("member of the project")];
  const app = await toApp([
    get("/one", {}, [owner]),
    get("/two", { description: "Both." }, [owner, member]),
    get("/no"),
  ]);
  const { paths } = await app.openapi();
  const described = ["/one", "/two", "/no"].map((path) => {
    const { description, "x-tenon-policies": policies } = paths[path]?.get ?? {};
    return [description, policies];
  });
  assert.deepEqual(described, [
    ["Policy: post owner.", ["post owner"]],
    ["Both.\n\nPolicies: post owner, member of the project.", ["post owner", "member of the project"]],
    [undefined, undefined],
  ]);
  await assertValid(await app.openapi());
});

test("hostile names stay names", async () => {
  const hostile = dto({ constructor: string(), $ref: string(), "</script>": string(), "\u2028": string() });
  const names = dto("constructor", { toString: string(), hasOwnProperty: string() });
  const app = await toApp(
    [
      post("/__proto__/:constructor", {
        query: hostile,
        body: names,
        returns: names,
        summary: "</script>",
        tags: ["__proto__"],
      }),
      post("/hasOwnProperty", { returns: dto({ constructor: string(), "</script>": string() }) }),
    ],
    { tags: {} },
  );
  const document = await app.openapi();
  await assertValid(document);
  const { parameters } = document.paths["/__proto__/{constructor}"]?.post ?? {};
  assert.deepEqual(
    parameters?.map(({ name }) => name),
    ["constructor", "constructor", "$ref", "</script>", "\u2028"],
  );
  assert.deepEqual(Object.keys(dtosOf(document)), ["constructor"]);
  assert.deepEqual(document.tags, [{ name: "__proto__" }, { name: "posts" }]);
});

test("an operation of an event stream or a WebSocket lists its messages", async () => {
  const Note = dto("Note", { text: string("required") });
  const app = await toApp([
    get("/events", { live: { kind: "events", sends: { note: Note } } }),
    get("/socket", { live: { kind: "socket", sends: { note: Note }, receives: { note: Note } } }),
  ]);
  const { paths } = await app.openapi();
  await app.stop();
  const note = { note: { $ref: "#/components/schemas/Note" } };
  const { "x-tenon-live": events } = paths["/events"]?.get ?? assert.fail("no operation");
  assert.deepEqual(events, { kind: "events", sends: note });
  const { "x-tenon-live": socket, responses } = paths["/socket"]?.get ?? assert.fail("no operation");
  assert.deepEqual(socket, {
    kind: "socket",
    sends: note,
    receives: { note: { $ref: "#/components/schemas/NoteInput" } },
  });
  assert.deepEqual(responses, { 101: { description: "Switching Protocols" } });
});
