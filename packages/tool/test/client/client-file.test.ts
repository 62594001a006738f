import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { api, createApp, defineModule, dto, integer, route } from "@tenon/core";
import { PageQuery, page } from "@tenon/data";
import { oneChecker, root, run, tool } from "../../../../test/support/run.ts";
import { temporaryFolder, writeFiles } from "../../../../test/support/temporary-folder.ts";
import { toClientFile } from "../../src/client/client-file.ts";
import { parseDocument } from "../../src/client/document.ts";
import { libraryDocument } from "../support/library-document.ts";

const toFile = (document: object) => toClientFile(parseDocument(JSON.stringify(document), "the document"));

function compile(folder: string, compilerOptions: object) {
  writeFiles(folder, {
    "package.json": '{ "type": "module" }',
    "tsconfig.json": JSON.stringify({ extends: join(root, "tsconfig.base.json"), compilerOptions, include: ["*.ts"] }),
  });
  return run(tool("tsc"), ["-p", ".", "--pretty", "false", ...oneChecker], { cwd: folder });
}

const strictest = {
  noEmit: true,
  types: [],
  typeRoots: [join(root, "node_modules/@types")],
  noPropertyAccessFromIndexSignature: true,
  skipLibCheck: true,
};

for (const [place, options] of [
  ["Node", { ...strictest, types: ["node"] }],
  [
    "a browser",
    { ...strictest, target: "es2022", lib: ["es2022", "dom"], module: "esnext", moduleResolution: "bundler" },
  ],
] as const) {
  test(`a client of every construct compiles for ${place}, and mistakes in its use do not`, async () => {
    const folder = temporaryFolder("client");
    writeFiles(folder, { "client.ts": toFile(libraryDocument), "use.ts": uses });
    const { code, stdout } = await compile(folder, options);
    assert.equal(code, 0, stdout);
  });
}

/** Each expected error is one: tsc reports an unused @ts-expect-error. */
const uses = `
import { createClient, type Book, type BookInput, type Error_, type Person, type Tree, type Loop, type Chapter } from "./client.ts";

const api = createClient({ baseUrl: "", token: async () => "secret", headers: { a: "b" } });
createClient({ token: { bearer: "secret", key: () => undefined } });
// @ts-expect-error: a misspelt scheme
createClient({ token: { baerer: "secret" } });
// @ts-expect-error: an unknown option
createClient({ tokens: "secret" });

const result = await api.books.show({ id: 1 }, { signal: new AbortController().signal, headers: { a: "b" } });
// @ts-expect-error: title exists only on 200
result.body.title;
if (result.status === 404) {
  const error: string = result.body.error;
  // @ts-expect-error: a problem has no title
  result.body.title;
  void error;
} else {
  const title: string = result.body.title;
  // @ts-expect-error: passwords are never received
  result.body.password;
  const type: string | null = result.headers.get("content-type");
  void title, type;
}
// @ts-expect-error: 500 is not declared
if (result.status === 500) void 0;

function titleOf(shown: typeof result): string {
  switch (shown.status) {
    case 200:
      return shown.body.title;
    // @ts-expect-error: 404 is not handled
    default: { const rest: never = shown; return rest; }
  }
}
void titleOf;

// @ts-expect-error: a wrong argument
await api.books.show({ id: "1" });
// @ts-expect-error: a missing argument
await api.books.show({});
// @ts-expect-error: no input at all
await api.books.show();
// @ts-expect-error: an argument that does not exist
await api.books.show({ id: 1, title: "x" });
// @ts-expect-error: an operation that does not exist
api.books.shows;
// @ts-expect-error: cookies are not arguments
await api.books.index({ session: "1" });

await api.books.index();
await api.books.index({ limit: undefined, tags: ["a"], ids: [1], filter: { author: "x" }, "X-Trace": "1" });
await api.books.index({ tags: ["a"] as const, ids: [1] as readonly number[] });
const pages: readonly Blob[] = [];
await api.uploads.create({ body: { file: new Blob([]), pages, title: "x" } });
const input: BookInput = { title: "x", state: "draft", author: null, password: "x", undescribed: 1, size: [1, 2, "x"] };
await api.books.create({ body: { ...input, size: [1, 2, "x"] as const, parts: [] as readonly Chapter[] } });
const created: Book = await api.books.create.orThrow({ body: input });
const part = created.parts?.[0];
if (part !== undefined && "id" in part) part.id.toFixed();
// @ts-expect-error: a missing field
await api.books.create({ body: { title: "x" } });
// @ts-expect-error: not one of the states
await api.books.create({ body: { ...input, state: "lost" } });
// @ts-expect-error: ids are assigned by the server
await api.books.create({ body: { title: "x", state: "draft", author: null, password: "x", undescribed: 1, id: 1 } });

const nothing: undefined = await api.books.remove.orThrow({ id: 1 });
const exists: 200 | 404 = (await api.books.exists({ id: 1 })).status;
await api.books.cover.replace({ id: 1, body: new Blob([]) });
await api.books.cover.replace({ id: 1, body: new ReadableStream<Uint8Array>() });
const cover: Blob = await api.books.cover.show.orThrow({ id: 1 });
const names: { [name: string]: string } = await api.uploads.create.orThrow({
  body: { file: new File([], "a.txt"), pages: [new Blob([])], title: "x" },
});
await api.uploads.create({ body: new FormData() });
// @ts-expect-error: text is not a file
await api.uploads.create({ body: { file: "text", title: "x" } });
const text: string = await api.login.orThrow({ body: { user: "ada" } });
for await (const { event, data, id } of await api.events.stream.orThrow()) void (event + data + id);
const zip: ReadableStream<Uint8Array> = await api.export.orThrow();
const imported = await api.import();
if (imported.status === 201) { const empty: undefined = imported.body; void empty; }
if (imported.status === 409) imported.body.error.trim();
await api.search.run({ path: { q: "a" }, query: { q: "b", options: { any: 1 } } });
await api.search.run({ path: { q: "a" } });
await api.files.show({ "*": "a/b" });
await api.files.show({ "*": ["a", "b"] as const });
await api.files.remove({ "*": ["a", "b"] });
// @ts-expect-error: a number is not a path
await api.files.show({ "*": 1 });
const unknown: unknown = await api.getUnknownTheId.orThrow({ "the-id": 1 });

await api.__proto__.constructor();
await api.__proto__["a-b \\"'\`\${1}*/"].orThrow({}, {});
await api.delete.class();
await api.größe.日本();
const error: Error_ = { constructor: "x", __proto__: "x" };
const tree: Tree = [[], [[]]];
const person: Person = { name: "Ada", friends: [], age: 1 };
const chapter: Chapter = { title: "x", page: 1 };
// @ts-expect-error: a title is required
const untitled: Chapter = { page: 1 };
const loop: Loop = 1;
export { nothing, exists, cover, names, text, zip, unknown, error, tree, person, chapter, untitled, loop };
`;

test("a component with a list has a read-only form where it is sent, and one form where it is only sent or received", () => {
  const schema = (name: string) => ({
    content: { "application/json": { schema: { $ref: `#/components/schemas/${name}` } } },
  });
  const tags = { type: "object", properties: { tags: { type: "array", items: { type: "string" } } } };
  const file = toFile({
    openapi: "3.1.0",
    paths: {
      "/a": { post: { operationId: "a", requestBody: schema("Both"), responses: { 200: schema("Both") } } },
      "/b": { post: { operationId: "b", requestBody: schema("Sent"), responses: { 200: schema("Received") } } },
    },
    components: { schemas: { Both: tags, Sent: tags, Received: tags } },
  });
  const declared = [...file.matchAll(/^export interface (\w+) \{\n {2}tags\?: (.+);\n\}/gm)].map(
    ([, ...parts]) => parts,
  );
  assert.deepEqual(declared, [
    ["Both", "string[]"],
    ["BothInput", "readonly string[]"],
    ["Sent", "readonly string[]"],
    ["Received", "string[]"],
  ]);
});

test("text of the document stays in comments and strings", async () => {
  const file = toFile(libraryDocument);
  assert.match(
    file,
    /^\/\*\*\n \* Generated by tenon client: do not edit it\.\n \* A client of Library \*\\\/ alert\(1\) \/\*\.\n \*\/\n/,
  );
  assert.match(file, / \* One book\. \*\\\/ throw 1; \/\*\n {3}\* Second line\.\n {3}\* @deprecated\n/);
  const path = join(temporaryFolder("client"), "client.ts");
  writeFileSync(path, file);
  const { createClient } = (await import(pathToFileURL(path).href)) as {
    createClient: () => Record<string, Record<string, unknown>>;
  }; // as the file says
  const client = createClient();
  assert.equal(typeof Reflect.get(client, "__proto__")?.constructor, "function");
  assert.equal(Object.getPrototypeOf({}).orThrow, undefined);
});

test("a file exports its types, its errors and createClient, and not how it works", () => {
  const file = toFile({ openapi: "3.1.0", paths: { "/": { get: { operationId: "home" } } } });
  const names = [...file.matchAll(/^export (?:\w+ )+?(\w+)(?= [{=]|[ (]|$)/gm)].map(([, name]) => name).sort();
  assert.deepEqual(names, [
    "ApiClient",
    "ApiError",
    "CallOptions",
    "ClientOptions",
    "Home",
    "HomeResult",
    "NoInput",
    "SchemeName",
    "ServerSentEvent",
    "Token",
    "UndeclaredBody",
    "UndeclaredStatus",
    "createClient",
  ]);
});

test("linters and formatters leave a generated file alone", async () => {
  const folder = temporaryFolder("linted");
  writeFiles(folder, { "client.ts": toFile(libraryDocument), "biome.json": "{}" });
  const { code, stdout, stderr } = await run(tool("biome"), ["check", "client.ts"], { cwd: folder });
  assert.equal(code, 0, stdout + stderr);
});

test("the same document gives the same file", () => {
  assert.equal(toFile(libraryDocument), toFile(libraryDocument));
});

const ok = { responses: { 204: { description: "" } } };
for (const [name, paths, message] of [
  [
    "two operations of one id",
    { "/a": { get: { operationId: "a.b", ...ok }, put: { operationId: "a.b", ...ok } } },
    /GET \/a and PUT \/a have the same operation id a\.b: rename one/,
  ],
  [
    "an operation that is a group",
    { "/a": { get: { operationId: "a", ...ok }, put: { operationId: "a.b", ...ok } } },
    /the operation a \(GET \/a\) is also the group of a\.b \(PUT \/a\): rename one/,
  ],
  ["a part that is missing", { "/a": { $ref: "#/components/pathItems/A" } }, /has no #\/components\/pathItems\/A/],
  ["another file", { "/a": { $ref: "other.json#/A" } }, /other\.json#\/A is outside the document: bundle/],
  ["a circle", { "/a": { $ref: "#/paths/~1a" } }, /refers in a circle: #\/paths\/~1a/],
] as const) {
  test(`a document with ${name} is refused`, () => {
    assert.throws(() => toFile({ openapi: "3.1.0", info: {}, paths }), message);
  });
}

test("a list in pages has its own type and takes a cursor", async () => {
  const Post = dto("Post", { id: integer("required") });
  class Posts {
    readonly index = route.get("/posts", { query: PageQuery, returns: page(Post) }, () => {
      return { items: [{ id: 1 }], next: null, previous: null };
    });

    routes() {
      return [this.index];
    }
  }
  const app = await createApp(defineModule({ name: "app", declarations: [Posts] }), api());
  const file = toFile(await app.openapi());
  assert.match(file, /export interface PostPage \{\n {2}items: Post\[\];\n(?: .*\n)? {2}next: string \| null;\n/);
  assert.match(file, / {2}cursor\?: string \| undefined;\n/);
});
