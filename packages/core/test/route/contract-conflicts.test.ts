import assert from "node:assert/strict";
import { test } from "node:test";
import {
  api,
  array,
  type Context,
  createApp,
  defineModule,
  dto,
  endpoint,
  type MiddlewareFunction,
  type Next,
  type Routes,
  type SecurityScheme,
  StartError,
  string,
} from "@tenon/core";
import { cli } from "@tenon/core/cli";
import { type } from "arktype";
import * as v from "valibot";
import { z } from "zod";
import { LogLines } from "../support/log-lines.ts";

const quiet = { log: { level: "silent" }, onStartError: "throw" } as const;

function toModule(routes: Routes, name = "PostsController") {
  const controllers = {
    [name]: class {
      routes = () => routes;
    },
  }; // the class takes the name of its key
  return defineModule({ name: "posts", declarations: Object.values(controllers) });
}

function fails(routes: Routes, expected: RegExp): Promise<void> {
  return assert.rejects(createApp(toModule(routes), api(), quiet), (error) => {
    assert.ok(error instanceof StartError);
    assert.deepEqual(
      error.problems.map(({ code }) => code),
      ["BAD_CONTRACT"],
    );
    assert.match(error.message, expected);
    return true;
  });
}

test("two endpoints with the same operation id stop the start, which names both routes", async () => {
  class PostsController {
    routes(): Routes {
      return [
        { method: "PUT", path: "/posts/:id", handler: this.update },
        { method: "PATCH", path: "/posts/:id", handler: this.update },
      ];
    }
    readonly update = endpoint({}, () => []);
  }
  const module = defineModule({ name: "posts", declarations: [PostsController] });
  await assert.rejects(createApp(module, api(), quiet), {
    message:
      'PUT /posts/:id of PostsController (module "posts") and PATCH /posts/:id of PostsController (module "posts") have the same operation id "posts.update". Give each a field of its own, or an operationId.',
  });
});

test("a command may have the name of an endpoint", async () => {
  class PostsController {
    routes(): Routes {
      return [
        { method: "GET", path: "/posts", handler: this.index },
        { path: "posts/list", handler: this.index },
      ];
    }
    readonly index = endpoint({ returns: array(string()) }, () => []);
  }
  const module = defineModule({ name: "posts", declarations: [PostsController] });
  await (await createApp(module, api(), quiet)).stop();
  await (await createApp(module, cli({ name: "blog" }), quiet)).stop();
});

test("two DTOs with one name stop the start, wherever they are", async () => {
  const inner = dto("Post", { title: string() });
  const list = (contract: Parameters<typeof endpoint>[0]) => endpoint(contract, () => undefined as never);
  await fails(
    [
      { method: "GET", path: "/a", handler: list({ returns: array(inner) }) },
      { method: "GET", path: "/b", handler: list({ errors: { 409: dto("Post", { text: string() }) } }) },
    ],
    /^GET \/a of .* and GET \/b of .* use two DTOs with the name "Post"\. Use one DTO for both, or rename one\.$/,
  );
});

test("two security schemes with one name stop the start", async () => {
  const guard = (scheme: SecurityScheme): MiddlewareFunction =>
    Object.assign((_ctx: Context, next: Next) => next(), { contract: { security: { token: scheme } } });
  const key = guard({ type: "apiKey", in: "header", name: "X-API-Key" });
  const bearer = guard({ type: "http", scheme: "bearer" });
  await fails(
    [
      { method: "GET", path: "/a", handler: () => [], middlewares: [key] },
      { method: "GET", path: "/b", handler: () => [], middlewares: [bearer] },
      { method: "GET", path: "/c", handler: () => [], middlewares: [bearer, key] },
    ],
    /^The guards of GET \/a of .* and GET \/b of .* declare "token" as two security schemes\. Rename one of them\.$/,
  );
});

test("a conflicting route cannot be added at run time, and nothing changes", async () => {
  const app = await createApp(toModule([]), api(), quiet);
  const Post = dto("Post", { title: string() });
  app.routes.add({ method: "GET", path: "/a", handler: endpoint({ returns: Post }, () => ({})) });
  const other = endpoint({ returns: dto("Post", { text: string() }) }, () => ({}));
  assert.throws(() => app.routes.add({ method: "GET", path: "/b", handler: other }), /two DTOs with the name "Post"/);
  assert.equal(app.routes.list().length, 1);
  await app.stop();
});

test("a schema without a JSON Schema, such as one of Valibot, is a warning that names its route and the cure", async () => {
  const valibot = v.object({ text: v.string() });
  const plain = v.string()["~standard"];
  const own = { "~standard": { ...plain, vendor: "own", validate: (value: unknown) => ({ value: String(value) }) } };
  const described = {
    ...valibot,
    "~standard": { ...valibot["~standard"], jsonSchema: z.string()["~standard"].jsonSchema },
  };
  const contracts = {
    search: { query: valibot, body: valibot },
    own: { query: own, returns: { 201: own } },
    others: { query: z.object({ at: z.date() }), body: type({ id: "string" }), headers: described, params: dto({}) },
  };
  const routes = Object.entries(contracts).map(([name, contract]) => {
    const handler = endpoint(contract, () => "" as never);
    return { method: "POST", path: `/${name}`, handler } as const;
  });
  const log = new LogLines();
  const app = await createApp(toModule(routes), api(), { log: log.options, onStartError: "throw" });
  await app.stop();
  const owner = 'PostsController (module "posts")';
  const cure = " Wrap it: toStandardJsonSchema(schema) of @valibot/to-json-schema.";
  const start = "The document does not show the";
  assert.deepEqual(log.messages("warn"), [
    `${start} query of POST /search of ${owner}: its valibot schema has no JSON Schema.${cure}`,
    `${start} body of POST /search of ${owner}: its valibot schema has no JSON Schema.${cure}`,
    `${start} query of POST /own of ${owner}: its own schema has no JSON Schema.`,
    `${start} result of POST /own of ${owner}: its own schema has no JSON Schema.`,
  ]);
});
