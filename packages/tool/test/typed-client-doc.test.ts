import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readBlocks } from "../../../test/support/markdown.ts";
import { oneChecker, root, run, tool } from "../../../test/support/run.ts";
import { temporaryFolder, writeFiles } from "../../../test/support/temporary-folder.ts";
import { toClientFile } from "../src/client/client-file.ts";
import { parseDocument } from "../src/client/document.ts";

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const json = (schema: object) => ({ description: "", content: { "application/json": { schema } } });
const query = (name: string, schema: object) => ({ name, in: "query", schema });
const integer = { type: "integer" };
const text = { type: "string" };

/** The API of the examples. */
const blog = {
  openapi: "3.1.0",
  info: { title: "Blog", version: "1.0.0" },
  paths: {
    "/posts": {
      get: {
        operationId: "posts.index",
        parameters: [query("limit", integer), query("tags", { type: "array", items: text })],
        responses: { 200: json({ type: "array", items: ref("Post") }) },
      },
      post: {
        operationId: "posts.create",
        requestBody: { required: true, ...json(ref("Post")) },
        responses: { 201: json(ref("Post")), 401: json(ref("Problem")), 422: json(ref("Problem")) },
      },
    },
    "/posts/{id}": {
      get: {
        operationId: "posts.show",
        parameters: [{ name: "id", in: "path", required: true, schema: integer }],
        responses: { 200: json(ref("Post")), 404: json(ref("Problem")) },
      },
    },
    "/changes": {
      get: {
        operationId: "posts.changes",
        responses: { 200: { description: "", content: { "text/event-stream": {} } } },
      },
    },
    "/live/posts": {
      get: {
        operationId: "posts.live",
        responses: { 200: { description: "", content: { "text/event-stream": {} } } },
        "x-tenon-live": { kind: "events", sends: { published: ref("Post") } },
      },
    },
    "/rooms/{room}": {
      get: {
        operationId: "chat.room",
        responses: { 101: { description: "" } },
        "x-tenon-live": {
          kind: "socket",
          sends: { said: { type: "object", required: ["by", "text"], properties: { by: text, text } } },
          receives: { say: { type: "object", required: ["text"], properties: { text } } },
        },
      },
    },
  },
  components: {
    schemas: {
      Post: {
        type: "object",
        required: ["id", "title"],
        properties: { id: { ...integer, readOnly: true }, title: text },
      },
      Problem: { type: "object", required: ["error"], properties: { error: text } },
    },
    securitySchemes: {
      bearer: { type: "http", scheme: "bearer" },
      apiKey: { type: "apiKey", in: "header", name: "x-api-key" },
    },
  },
};

const appModule = `import { defineModule, type Routes } from "@tenon/core";

class PostsController {
  routes(): Routes {
    return [{ method: "GET", path: "/posts/:id", handler: (ctx) => ({ id: ctx.param("id"), title: "Hello" }) }];
  }
}
export const AppModule = defineModule({ name: "app", declarations: [PostsController] });
`;

const folder = temporaryFolder("doc");
symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
const blocks = readBlocks().filter(
  ({ document, info }) => document === "docs/typed-client.md" && info === "typescript",
);
const examples = Object.fromEntries(blocks.map(({ line, code }) => [`line-${line}.ts`, `${code}\nexport {};\n`]));
writeFiles(folder, {
  ...examples,
  "client.ts": toClientFile(parseDocument(JSON.stringify(blog), "the document")),
  "app.module.ts": appModule,
  "package.json": '{ "type": "module" }',
  "tsconfig.json": JSON.stringify({
    extends: join(root, "tsconfig.base.json"),
    compilerOptions: { noEmit: true, lib: ["es2025", "dom"], customConditions: ["@tenon/source"] },
    include: ["*.ts"],
  }),
});

test("the examples of docs/typed-client.md compile against a generated client", async () => {
  assert.ok(blocks.length > 5, "the page has examples");
  const { code, stdout } = await run(tool("tsc"), ["-p", ".", "--pretty", "false", ...oneChecker], { cwd: folder });
  assert.equal(code, 0, stdout);
});

test("the client calls an application without a port, as the page shows", async () => {
  const example = blocks.find(({ code }) => code.includes("fetch: app.fetch"));
  assert.ok(example !== undefined, "the page has an example of a test");
  const file = `line-${example.line}.ts`;
  const { code, stdout, stderr } = await run(process.execPath, ["--conditions=@tenon/source", "--test", file], {
    cwd: folder,
  });
  assert.equal(code, 0, stdout + stderr);
  assert.match(stdout, /pass 1/);
});
