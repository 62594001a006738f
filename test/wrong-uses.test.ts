import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { oneChecker, root, run, tool } from "./support/run.ts";
import { temporaryFolder, writeFiles } from "./support/temporary-folder.ts";

/** What every wrong use is written with. */
const parts = `
import { boolean, defineConfig, defineModule, dto, integer, string, timestamp } from "@tenon/core";
import { defineJob, type Jobs } from "@tenon/jobs";
import { defineMail } from "@tenon/mail";

export const Post = dto("Post", {
  id: string("required"),
  title: string("required", "max=200"),
  text: string("required"),
  kind: string("required", "oneof=note article"),
  published: boolean("required"),
  likes: integer("required", "min=0"),
  created_at: timestamp("required"),
});
export const CreatePost = Post.pick("title", "text").named("CreatePost");
export const Welcome = defineMail("mail/welcome", {
  data: dto({ name: string("required") }),
  subject: ({ name }) => name,
  preview: { name: "Ada" },
});
export const SendMail = defineJob("mail/send", { input: dto({ to: string("required", "email") }) });

export interface Row {
  id: string;
  title: string;
  text: string;
  kind: "note" | "article";
  published: boolean;
  likes: number;
  created_at: Date;
}
export class PostsService {
  readonly #rows: Row[] = [];
  async list(): Promise<Row[]> {
    return this.#rows;
  }
  async find(id: string): Promise<Row | undefined> {
    return this.#rows.find((row) => row.id === id);
  }
  async create(author: string, { title, text }: { title: string; text: string }): Promise<Row> {
    return { id: author, title, text, kind: "note", published: false, likes: 0, created_at: new Date() };
  }
  async *stream(): AsyncGenerator<Row> {
    yield* this.#rows;
  }
}
export const posts = new PostsService();
export declare const jobs: Jobs;
class Config extends defineConfig({ PORT: integer("default=8080") }) {}
export const AppModule = defineModule({ name: "app", declarations: [Config, PostsService] });
`;
const imports = `
import { BearerAuth, requireRole } from "@tenon/auth";
import { api, array, createApp, defineModule, dto, endpoint, HttpError, inject, integer, provide, route, type Routes, string, token } from "@tenon/core";
import { accessLog } from "@tenon/core/middleware";
import { events } from "@tenon/live";
import { mail } from "@tenon/mail";
import { AppModule, CreatePost, jobs, Post, posts, PostsService, SendMail, Welcome } from "./parts.ts";
`;

interface WrongUse {
  readonly name: string;
  readonly code: string;
  /** The first line of what TypeScript says, without place and number. */
  readonly says: string;
}

const uses: readonly WrongUse[] = [
  {
    name: "a parameter that the path does not have",
    code: 'route.get("/posts/:id", (ctx) => posts.find(ctx.param("nmae")));',
    says: `Argument of type '"nmae"' is not assignable to parameter of type '"id"'.`,
  },
  {
    name: "a parameter of a path without any",
    code: 'route.get("/posts", { summary: "All posts" }, (ctx) => posts.find(ctx.param("id")));',
    says: `Argument of type '"id"' is not assignable to parameter of type '"The path has no parameters"'.`,
  },
  {
    name: "a parameter of a group, misspelt",
    code: 'route.under("/posts/:postId").get("/comments", (ctx) => ctx.param("postid"));',
    says: `Argument of type '"postid"' is not assignable to parameter of type '"postId"'.`,
  },
  {
    name: "a misspelt key of a contract",
    code: 'route.get("/posts", { retuns: array(Post), summary: "All posts" }, () => posts.list());',
    says: "Object literal may only specify known properties, but 'retuns' does not exist in type 'RouteContract'. Did you mean to write 'returns'?",
  },
  {
    name: "a misspelt key of what a group shares",
    code: 'route.under("/posts", { tags: ["Posts"], error: { 404: "Post not found" } });',
    says: "Object literal may only specify known properties, but 'error' does not exist in type 'SharedContract'. Did you mean to write 'errors'?",
  },
  {
    name: "an operation id that is not a text",
    code: 'route.get("/posts", { operationId: 7, returns: array(Post) }, () => posts.list());',
    says: "Type 'number' is not assignable to type 'string'.",
  },
  {
    name: "errors as a list",
    code: 'route.get("/posts/:id", { returns: Post, errors: [404] }, (ctx) => ctx.fail(404));',
    says: "Type 'number[]' is not assignable to type 'ErrorsByStatus'.",
  },
  {
    name: "a response header that is not a text",
    code: 'route.get("/posts", { responds: { headers: { etag: true } } }, () => posts.list());',
    says: "Type 'boolean' is not assignable to type 'string | Field<unknown, Presence, unknown>'.",
  },
  {
    name: `a status that \`errors\` does not declare`,
    code: 'route.get("/posts/:id", { errors: { 404: "Post not found" } }, (ctx) => ctx.fail(409));',
    says: "Argument of type '409' is not assignable to parameter of type '404'.",
  },
  {
    name: "ctx.fail() without declared errors",
    code: 'route.get("/posts/:id", { returns: Post }, (ctx) => ctx.fail(404));',
    says: `Argument of type '404' is not assignable to parameter of type '"The contract declares no \`errors\`"'.`,
  },
  {
    name: `a message that \`errors\` does not declare`,
    code: 'route.put("/posts/:id", { errors: { 409: ["Taken", "Locked"] } }, (ctx) => ctx.fail(409, "Gone"));',
    says: `Argument of type '"Gone"' is not assignable to parameter of type '"Locked" | "Taken"'.`,
  },
  {
    name: "no message where several are declared",
    code: 'route.put("/posts/:id", { errors: { 409: ["Taken", "Locked"] } }, (ctx) => ctx.fail(409));',
    says: "Expected 2 arguments, but got 1.",
  },
  {
    name: "a missing return",
    code: `route.get("/posts", { returns: array(Post) }, async () => {
  await posts.list();
});`,
    says: `Argument of type '"/posts"' is not assignable to parameter of type '"The handler may return nothing: add a \`return\`, such as \`return ctx.fail(404)\`"'.`,
  },
  {
    name: "a missing return in endpoint()",
    code: `endpoint({ returns: array(Post) }, async () => {
  await posts.list();
});`,
    says: "Object literal may only specify known properties, and 'returns' does not exist in type 'Wrong<\"The handler may return nothing: add a `return`, such as `return ctx.fail(404)`\">'.",
  },
  {
    name: "a result that may be undefined",
    code: 'route.get("/posts/:id", { returns: Post }, (ctx) => posts.find(ctx.param("id")));',
    says: `Argument of type '"/posts/:id"' is not assignable to parameter of type '"The handler may return nothing: add a \`return\`, such as \`return ctx.fail(404)\`"'.`,
  },
  {
    name: "an error that is returned",
    code: 'route.get("/posts/:id", { returns: Post, errors: { 404: "x" } }, () => new HttpError(404, "x"));',
    says: `Argument of type '"/posts/:id"' is not assignable to parameter of type '"The handler returns an error: throw it"'.`,
  },
  {
    name: "a result without declared fields",
    code: 'route.post("/posts", { body: CreatePost, returns: { 201: Post } }, (_, { body }) => body);',
    says: `Argument of type 'string' is not assignable to parameter of type 'WrongFieldsInResult<"created_at" | "id" | "kind" | "likes" | "published">'.`,
  },
  {
    name: "a field of another type",
    code: 'route.get("/posts", { returns: array(Post) }, async () => (await posts.list()).map((post) => ({ ...post, likes: "many" })));',
    says: `Argument of type 'string' is not assignable to parameter of type 'WrongFieldsInResult<"likes">'.`,
  },
  {
    name: "one value where a list is declared",
    code: 'route.get("/posts", { returns: array(Post), errors: { 404: "None" } }, async (ctx) => (await posts.find("1")) ?? ctx.fail(404));',
    says: `Argument of type '"/posts"' is not assignable to parameter of type '"The handler returns another type than \`returns\` declares"'.`,
  },
  {
    name: `a status that \`returns\` does not declare`,
    code: 'route.post("/posts", { returns: { 201: Post } }, async (ctx) => ctx.status(200).json({ id: "1" }));',
    says: `Argument of type '"/posts"' is not assignable to parameter of type '"\`returns\` does not declare this body for the status 200"'.`,
  },
  {
    name: "a body where none is declared",
    code: 'route.delete("/posts/:id", { returns: { 204: null } }, () => ({ deleted: true }));',
    says: `Argument of type '"/posts/:id"' is not assignable to parameter of type '"The handler returns another type than \`returns\` declares"'.`,
  },
  {
    name: "rows of an async iterable",
    code: 'route.get("/posts", { returns: array(Post) }, () => posts.stream());',
    says: `Argument of type '"/posts"' is not assignable to parameter of type '"\`returns\` declares no stream: jsonArray(rows) makes one of an array()"'.`,
  },
  {
    name: "a part of the input that is not declared",
    code: 'route.get("/posts", { returns: array(Post) }, (_, { query }) => posts.list());',
    says: "Property 'query' does not exist on type '{}'.",
  },
  {
    name: "a misspelt field of the body",
    code: 'route.post("/posts", { body: CreatePost }, (_, { body }) => body.titel);',
    says: "Property 'titel' does not exist on type '{ text: string; title: string; }'. Did you mean 'title'?",
  },
  {
    name: "an optional body without a check",
    code: 'route.post("/posts", { body: { optional: CreatePost } }, (_, { body }) => body.title);',
    says: "'body' is possibly 'undefined'.",
  },
  {
    name: "fields instead of a DTO as a form",
    code: 'route.post("/posts", { body: { form: { title: string("required") } } }, () => "");',
    says: "Object literal may only specify known properties, and 'title' does not exist in type 'StandardSchema<unknown, unknown>'.",
  },
  {
    name: "a misspelt kind of body",
    code: 'route.post("/posts", { body: { contents: "text/csv" } }, () => "");',
    says: "Object literal may only specify known properties, and 'contents' does not exist in type 'ContentBody | FormBody | OptionalBody | Schema'.",
  },
  {
    name: "a body of other content as text",
    code: 'route.post("/posts", { body: { content: "text/csv" } }, (_, { body }) => body.split("\\n"));',
    says: "Property 'split' does not exist on type 'Uint8Array<ArrayBufferLike>'.",
  },
  {
    name: "a value of a guard without the guard",
    code: 'route.post("/posts", { body: CreatePost }, (ctx, { body }) => posts.create(ctx.get("user_id"), body));',
    says: "Argument of type 'string | undefined' is not assignable to parameter of type 'string'.",
  },
  {
    name: "a called handler in a record",
    code: `export class PostsController {
  routes(): Routes {
    return [{ method: "GET", path: "/posts", handler: this.index() }];
  }
  index() {
    return "posts";
  }
}`,
    says: "Type 'string' is not assignable to type 'Handler'.",
  },
  {
    name: "a called handler in route.get()",
    code: 'route.get("/posts", { returns: array(Post) }, posts.list());',
    says: `Argument of type 'Promise<Row[]>' is not assignable to parameter of type '(ctx: RequestContext<"", UndeclaredError, "", "">, input: {}) => Promise<never> | PromiseLike<never>'.`,
  },
  {
    name: "a route without a handler",
    code: 'route.get("/posts", { returns: array(Post) });',
    says: `Object literal may only specify known properties, and 'returns' does not exist in type '(ctx: RequestContext<"", UndeclaredError, "", "">) => unknown'.`,
  },
  {
    name: "contract and handler in the wrong order",
    code: 'route.get("/posts", () => posts.list(), { returns: array(Post) });',
    says: "Type '() => Promise<Row[]>' has no properties in common with type 'RouteContract'.",
  },
  {
    name: "a middleware of Express",
    code: 'route.get("/posts", (req, res) => res.send("posts"));',
    says: `Argument of type '(req: any, res: any) => any' is not assignable to parameter of type '(ctx: RequestContext<"", UndeclaredError, "", "">) => unknown'.`,
  },
  {
    name: "accessLog without its call",
    code: "api({ middlewares: [accessLog] });",
    says: "Type '(options?: AccessLogOptions) => MiddlewareFunction' is not assignable to type 'MiddlewareLike'.",
  },
  {
    name: "a guard without its call",
    code: 'route.delete("/posts/:id", { middlewares: [BearerAuth, requireRole] }, () => "");',
    says: "Type '(role: string) => MiddlewareFunction' is not assignable to type 'MiddlewareLike'.",
  },
  {
    name: "a service as a middleware",
    code: 'route.get("/posts", { middlewares: [PostsService] }, () => posts.list());',
    says: "Type 'typeof PostsService' is not assignable to type 'MiddlewareLike'.",
  },
  {
    name: "a method of the context that other frameworks have",
    code: 'route.get("/posts", { returns: array(Post) }, (ctx) => ctx.json([]));',
    says: `Property 'json' does not exist on type 'RequestContext<"", UndeclaredError, "", "">'.`,
  },
  {
    name: "pick() of an unknown field",
    code: 'Post.pick("title", "author");',
    says: `Argument of type '"author"' is not assignable to parameter of type '"created_at" | "id" | "kind" | "likes" | "published" | "text" | "title"'.`,
  },
  {
    name: "a misspelt rule",
    code: 'string("requird");',
    says: `Argument of type '"requird"' is not assignable to parameter of type 'StringTag'.`,
  },
  {
    name: "a rule of another field",
    code: 'integer("email");',
    says: `Argument of type '"email"' is not assignable to parameter of type 'NumberTag'.`,
  },
  {
    name: "a type instead of a field",
    code: 'dto({ title: "string" });',
    says: "Type 'string' is not assignable to type 'Field<unknown, Presence, unknown>'.",
  },
  {
    name: "inject() of a name",
    code: 'inject("posts");',
    says: "Argument of type 'string' is not assignable to parameter of type 'Key<unknown>'.",
  },
  {
    name: "inject() of an instance",
    code: "inject(posts);",
    says: "Argument of type 'PostsService' is not assignable to parameter of type 'Key<unknown>'.",
  },
  {
    name: "a factory of another type",
    code: 'provide(token<string>("url"), () => 8080);',
    says: "Type 'number' is not assignable to type 'string'.",
  },
  {
    name: "a module that is imported by name",
    code: 'defineModule({ name: "blog", imports: ["posts"] });',
    says: "Type 'string' is not assignable to type 'Module<unknown>'.",
  },
  {
    name: "a class instead of a module",
    code: "createApp(PostsService, api());",
    says: "Type 'typeof PostsService' is missing the following properties from type 'Module<unknown>': imports, declarations, exports, unknown",
  },
  {
    name: "an option of another framework's modules",
    code: 'defineModule({ name: "blog", providers: [PostsService] });',
    says: "Object literal may only specify known properties, and 'providers' does not exist in type 'ModuleOptions<[], []>'.",
  },
  {
    name: "an instance instead of a class",
    code: 'defineModule({ name: "blog", declarations: [posts] });',
    says: "Type 'PostsService' is not assignable to type 'Declaration'.",
  },
  {
    name: "a value of the configuration, of another type",
    code: "createApp(AppModule, api(), { config: { port: true } });",
    says: "Type 'boolean' is not assignable to type 'number'.",
  },
  {
    name: "the input of a job",
    code: "jobs.enqueue(SendMail, { to: 7 });",
    says: "Type 'number' is not assignable to type 'string'.",
  },
  {
    name: "the data of a mail",
    code: 'mail(Welcome, () => ({ to: { address: "ada@example.com" }, data: { name: 7 } }));',
    says: "Type 'number' is not assignable to type 'string'.",
  },
  {
    name: "a field that the data of a mail lacks",
    code: 'mail(Welcome, () => ({ to: { address: "ada@example.com" }, data: {} }));',
    says: "Property 'name' is missing in type '{}' but required in type '{ name: string; }'.",
  },
  {
    name: "a message that an event stream does not declare",
    code: 'route.get("/live", events({ sends: { changed: CreatePost } }, (_, stream) => stream.send("change", { title: "", text: "" })));',
    says: `Argument of type '"change"' is not assignable to parameter of type '"changed"'.`,
  },
  {
    name: "an HttpError with its arguments in the wrong order",
    code: 'throw new HttpError("Post not found", 404);',
    says: "Argument of type 'string' is not assignable to parameter of type 'number'.",
  },
];

const folder = temporaryFolder("wrong-uses");
const fileOf = (index: number) => `use-${index}.ts`;

describe("wrong uses do not compile, with a message that names the problem", () => {
  const messages = new Map<string, string>();

  before(async () => {
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    writeFiles(folder, {
      "package.json": '{ "type": "module" }',
      "parts.ts": parts,
      ...Object.fromEntries(uses.map(({ code }, index) => [fileOf(index), `${imports}${code}\n`])),
      "tsconfig.json": JSON.stringify({
        extends: join(root, "tsconfig.base.json"),
        compilerOptions: {
          noEmit: true,
          customConditions: ["@tenon/source"],
          noUnusedLocals: false,
          noUnusedParameters: false,
        },
        include: ["*.ts"],
      }),
    });
    const { stdout } = await run(tool("tsc"), ["-p", ".", "--pretty", "false", ...oneChecker], { cwd: folder });
    for (const [, file = "", message = ""] of stdout.matchAll(/^(.+?)\(\d+,\d+\): error TS\d+: (.*)$/gm)) {
      if (!messages.has(file)) messages.set(file, message);
    }
  });

  test("the code around them compiles", () => {
    const files = new Set(uses.map((_, index) => fileOf(index)));
    assert.deepEqual(
      [...messages].filter(([file]) => !files.has(file)),
      [],
    );
  });

  for (const [index, { name, says }] of uses.entries()) {
    test(name, () => {
      assert.equal(messages.get(fileOf(index)), says);
      assert.ok(says.length <= 200, `${says.length} characters`);
    });
  }
});
