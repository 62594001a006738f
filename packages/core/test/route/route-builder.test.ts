import assert from "node:assert/strict";
import { test } from "node:test";
import {
  api,
  array,
  type Context,
  defineModule,
  dto,
  endpoint,
  integer,
  type Middleware,
  type MiddlewareContract,
  type Next,
  route,
  string,
} from "@tenon/core";
import { cli } from "@tenon/core/cli";
import { withSource } from "@tenon/core/internal";
import { createTestApp } from "@tenon/core/testing";
import { sourceOf } from "../../src/request/endpoint.ts";

declare module "@tenon/core" {
  interface GuardValues {
    reader: string;
  }
}

const Post = dto("Post", { id: string("required"), title: string("required") });
const Page = dto({ limit: integer("default=10") });

class Visitors implements Middleware {
  readonly contract: MiddlewareContract<"reader"> = { sets: ["reader"], errors: { 401: "Who are you?" } };

  handle(ctx: Context, next: Next) {
    ctx.set("reader", ctx.header("visitor"));
    return next();
  }
}

const inPost = route.under("/posts/:postId", {
  middlewares: [Visitors],
  tags: ["Comments"],
  errors: { 404: "No post" },
});
const inComment = inPost.under("comments/:id", { errors: { 409: ["taken", "closed"] } });

class PostsController {
  readonly #posts = new Map([["1", { id: "1", title: "First" }]]);

  readonly index = route.get("/posts", { query: Page, returns: array(Post) }, (_, { query }) =>
    [...this.#posts.values()].slice(0, query.limit),
  );
  readonly show = route.get("/posts/:id", { returns: Post, errors: { 404: "Post not found" } }, async (ctx) => {
    return this.#posts.get(ctx.param("id")) ?? ctx.fail(404);
  });
  readonly create = route.post(
    "/posts",
    { middlewares: [Visitors], body: Post, returns: { 201: Post } },
    (ctx, input) => {
      const visitor: string = ctx.get("reader");
      return { ...input.body, title: `${input.body.title} by ${visitor}` };
    },
  );
  readonly plain = route.get("/plain/:name", (ctx) => `plain ${ctx.param("name")}`);
  readonly remark = inComment.put("/", { returns: Post }, (ctx) => {
    if (ctx.param("postId") === "0") return ctx.fail(404);
    if (ctx.param("id") === "0") return ctx.fail(409, "closed");
    const visitor: string = ctx.get("reader");
    return { id: ctx.param("id"), title: `${visitor} on ${ctx.param("postId")}` };
  });
  readonly twice = route.get("/also/:id", { operationId: "posts.again", returns: Post }, (ctx) => ({
    id: ctx.param("id"),
    title: "again",
  }));
  readonly list = route.command("posts/list/:count", { summary: "Posts" }, (ctx) => `${ctx.param("count")} posts`);

  routes() {
    return [this.index, this.show, this.create, this.plain, this.remark, this.twice, this.list];
  }
}

const PostsModule = defineModule({ name: "posts", declarations: [PostsController, Visitors] });

test("routes are plain records", () => {
  const record = route.get("/posts/:id", (ctx) => ctx.param("id"));
  assert.deepEqual(Object.keys(record), ["method", "path", "handler"]);
  const { method, path, middlewares, handler } = inComment.delete("", { returns: { 204: null } }, () => undefined);
  assert.deepEqual([method, path, middlewares], ["DELETE", "/posts/:postId/comments/:id", [Visitors]]);
  assert.equal(typeof handler, "function");
  const words = route.under("posts").command("list", () => "");
  assert.deepEqual([words.method, words.path], [undefined, "posts/list"]);
  const methods = ([...["get", "post", "put", "patch", "delete", "head", "options"]] as const).map(
    (name) => route[name as "get"]("/", () => "").method,
  );
  assert.deepEqual(methods, ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]);
});

test("declared routes bind, select, fail and are guarded", async () => {
  const app = await createTestApp(PostsModule, api());
  const call = async (...[method, path, options]: Parameters<typeof app.request>) => {
    const response = await app.request(method, path, options);
    return [response.status, await response.json()];
  };
  assert.deepEqual(await call("GET", "/posts?limit=1"), [200, [{ id: "1", title: "First" }]]);
  assert.deepEqual(await call("GET", "/posts/1"), [200, { id: "1", title: "First" }]);
  assert.deepEqual(await call("GET", "/posts/2"), [404, { error: "Post not found" }]);
  const headers = { visitor: "Ada" };
  const json = { id: "2", title: "Second" };
  assert.deepEqual(await call("POST", "/posts", { json, headers }), [201, { id: "2", title: "Second by Ada" }]);
  assert.deepEqual(await call("GET", "/plain/x"), [200, "plain x"]);
  assert.deepEqual(await call("PUT", "/posts/0/comments/1", { headers }), [404, { error: "No post" }]);
  assert.deepEqual(await call("PUT", "/posts/1/comments/0", { headers }), [409, { error: "closed" }]);
  assert.deepEqual(await call("PUT", "/posts/1/comments/7", { headers }), [200, { id: "7", title: "Ada on 1" }]);
  await app.stop();
});

test("routes have the names of their fields, in lists, documents and logs", async () => {
  const app = await createTestApp(PostsModule, api());
  const names = app.routes.list().map(({ handler, controller }) => `${controller}.${handler}`);
  assert.deepEqual(names.slice(0, 3), ["PostsController.index", "PostsController.show", "PostsController.create"]);
  const { paths } = (await app.openapi()) as unknown as {
    paths: Record<string, Record<string, { operationId: string; tags: string[]; responses: object }>>;
  };
  assert.equal(paths["/posts/{id}"]?.get?.operationId, "posts.show");
  assert.equal(paths["/also/{id}"]?.get?.operationId, "posts.again");
  const remark = paths["/posts/{postId}/comments/{id}"]?.put;
  assert.deepEqual(remark?.tags, ["Comments"]);
  assert.deepEqual(Object.keys(remark?.responses ?? {}), ["200", "401", "404", "409"]);
  await app.stop();
});

test("a command is a route without a method", async () => {
  const app = await createTestApp(PostsModule, cli({ name: "app" }));
  const { stdout } = await app.run(["posts", "list", "3"]);
  assert.equal(stdout, "3 posts\n");
  await app.stop();
});

test("what is not a handler is refused where it is written", () => {
  assert.throws(() => route.get("/posts", undefined as never), {
    message: /^route\.get\("\/posts"\) takes a handler, not undefined: route\.get\("\/posts", \{ returns: Post \}, /,
  });
  assert.throws(
    () => route.command("list", {}, "x" as never),
    /route\.command\("list"\) takes a handler, not the text "x"/,
  );
});

test("a route that routes() does not return is a warning in development", async () => {
  const lines: string[] = [];
  class Forgetful {
    readonly index = route.get("/", () => "index");
    readonly show = route.get("/show", () => "show");
    readonly nested = route.get("/nested", () => "nested");
    routes() {
      return [this.index, { path: "/group", children: [this.nested] }];
    }
  }
  const module = defineModule({ name: "forgetful", declarations: [Forgetful] });
  const log = { destination: { write: (line: string) => void lines.push(line) } };
  const app = await createTestApp(module, api(), { log });
  await app.stop();
  const warnings = lines.map((line) => (JSON.parse(line) as { msg: string }).msg);
  assert.deepEqual(warnings, [
    'show of Forgetful (module "forgetful") is a route that routes() does not return: nothing serves it.',
  ]);
});

test("declared response headers and cookies are documented, and a required one is checked", async () => {
  class Headers {
    readonly index = route.get(
      "/",
      {
        returns: Post,
        responds: {
          headers: { link: "The pages", "x-count": integer("required") },
          cookies: { seen: "The last visit" },
        },
      },
      (ctx) => {
        if (ctx.query("count") !== "") ctx.response().setHeader("x-count", ctx.query("count"));
        return { id: "1", title: "First" };
      },
    );
    routes() {
      return [this.index];
    }
  }
  const app = await createTestApp(defineModule({ name: "headers", declarations: [Headers] }), api());
  const document = (await app.openapi()) as unknown as {
    paths: Record<string, { get: { responses: Record<string, { headers: unknown }> } }>;
  };
  assert.deepEqual(document.paths["/"]?.get.responses[200]?.headers, {
    link: { description: "The pages", schema: { type: "string" } },
    "x-count": { required: true, schema: { type: "integer" } },
    "set-cookie": { description: "`seen`: The last visit", schema: { type: "string" } },
  });
  assert.equal((await app.request("GET", "/?count=2")).status, 200);
  await assert.rejects(app.request("GET", "/"), /GET \/ declares the header x-count, which its response does not have/);
  await app.stop();
});

test("a contract on top of that of an endpoint documents it, and what the endpoint sends stays", async () => {
  class Documented {
    readonly written = endpoint({ returns: Post }, () => ({ id: "1", title: "Hi", ...{ password: "secret" } }));
    routes() {
      return [route.get("/documented", { summary: "A post" }, this.written)];
    }
  }
  const app = await createTestApp(defineModule({ name: "app", declarations: [Documented] }), api());
  const { paths } = await app.openapi();
  assert.equal(paths["/documented"]?.get?.summary, "A post");
  assert.deepEqual(await (await app.request("GET", "/documented")).json(), { id: "1", title: "Hi" });
  await app.stop();
});

test("a wrapped handler is known by the function that the application has written", () => {
  const show = () => "shown";
  assert.equal(sourceOf(withSource(() => show(), show)), show);
});
