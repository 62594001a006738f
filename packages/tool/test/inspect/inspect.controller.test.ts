import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { createApplication, toDescribing } from "../support/described-app.ts";
import { isFull } from "../support/generated-app.ts";
import { createRealApp, shopFiles } from "../support/real-app.ts";
import { runCommand } from "../support/tool.ts";

const shop = createRealApp(shopFiles);
const dataFiles = {
  "src/main.ts": `import { api, createApp } from "@tenon/core";
import { dataModule } from "@tenon/data";

const database = "postgres://admin:secret@db.test/shop";
const app = await createApp(dataModule({ database, cache: "redis://:secret@cache.test" }), api());
await app.listen({ port: 0 });
`,
};

test("tenon explain tells who provides a class, who uses it, and why it is visible", async () => {
  const { code, stdout } = await runCommand("explain", "PostsService", `--in=${shop}`);
  assert.equal(code, 0);
  assert.equal(
    stdout,
    `PostsService: declared in module "posts" (src/posts.ts:4)
  uses:
    Title (module "posts")
    Log
  used by:
    PostsController (module "posts")
    Reports (module "app")
  visible in:
    module "posts": declares it
    module "pages": imports "posts", which exports it
    module "app": imports "pages", which exports "posts", which exports it
`,
  );
});

test("tenon explain knows tokens, and what every module sees", async () => {
  const title = await runCommand("explain", "Title", `--in=${shop}`);
  assert.match(title.stdout, /^Title: provided by module "posts"\n {2}uses: nothing\n/);
  const log = await runCommand("explain", "Log", `--in=${shop}`);
  assert.match(log.stdout, /^Log: every module sees it without declaring it\n/);
  const json = await runCommand("explain", "Title", "--json", `--in=${shop}`);
  assert.deepEqual(JSON.parse(json.stdout), [
    {
      name: "Title",
      kind: "token",
      module: "posts",
      uses: [],
      usedBy: ['PostsService (module "posts")'],
      visibleIn: [{ module: "posts", because: "declares it" }],
    },
  ]);
});

test("tenon explain without a name lists what the modules declare", async () => {
  const { stdout } = await runCommand("explain", "--json", `--in=${shop}`);
  assert.deepEqual(JSON.parse(stdout), [
    { name: "Title", kind: "token", module: "posts" },
    { name: "PostsService", kind: "class", module: "posts" },
    { name: "PostsController", kind: "class", module: "posts" },
    { name: "Reports", kind: "class", module: "app" },
  ]);
});

for (const [name, hint] of [
  ["PostService", "Did you mean PostsService?"],
  ["__proto__", "tenon explain without a name lists them."],
  ["../../etc/passwd", "tenon explain without a name lists them."],
  ["constructor", "tenon explain without a name lists them."],
] as const) {
  test(`tenon explain ${name} fails with a hint`, async () => {
    const { code, stdout, stderr } = await runCommand("explain", name, `--in=${shop}`);
    assert.deepEqual({ code, stdout }, { code: 1, stdout: "" });
    assert.equal(stderr, `tenon: no module declares or uses "${name}". ${hint}\n`);
  });
}

test("tenon check succeeds for a sound application", async () => {
  const { code, stdout } = await runCommand("check", `--in=${shop}`);
  assert.deepEqual({ code, stdout }, { code: 0, stdout: "no problems: src/main.api.ts\n" });
});

for (const [title, file, source, expected] of [
  [
    "a syntax error with its line",
    "src/posts.ts",
    "export const posts = {\n  title: 1;\n};\n",
    "start: src/posts.ts:2: SyntaxError: Expected ',', got ';'\n      1 | export const posts = {\n    > 2 |   title: 1;\n        |           ^\n      3 | };\n",
  ],
  [
    "an error that the application throws",
    "src/app.module.ts",
    'export const AppModule = undefined;\nthrow new Error("no luck");\n',
    'start: src/app.module.ts:2: no luck\n      1 | export const AppModule = undefined;\n    > 2 | throw new Error("no luck");\n        |       ^\n      3 |\n',
  ],
  [
    "a file that is missing",
    "src/app.module.ts",
    'export { AppModule } from "./nowhere.ts";\n',
    "start: src/app.module.ts:1: Cannot find module 'src/nowhere.ts' imported from src/app.module.ts\n    > 1 | export { AppModule } from \"./nowhere.ts\";\n        |                           ^\n      2 |\n",
  ],
] as const) {
  test(`tenon check shows ${title}, without the stack of Node`, async () => {
    const folder = createRealApp({ ...shopFiles, [file]: source });
    const { code, stdout, stderr } = await runCommand("check", `--in=${folder}`);
    assert.deepEqual({ code, stdout, stderr }, { code: 1, stdout: expected, stderr: "tenon: 1 problem\n" });
  });
}

test("tenon check lists every wiring mistake of every entry point", async () => {
  const folder = createRealApp({
    ...shopFiles,
    "src/main.cli.ts": `import { createApp, defineModule, inject } from "@tenon/core";
import { cli } from "@tenon/core/cli";

class Missing {}
class First {
  readonly missing = inject(Missing);
}
class OneController {}
await (await createApp(defineModule({ name: "app", declarations: [First, OneController] }), cli({ name: "x" }))).run();
`,
  });
  const { code, stdout } = await runCommand("check", "--json", `--in=${folder}`);
  assert.equal(code, 1);
  const { error, checked, problems } = JSON.parse(stdout);
  assert.deepEqual({ error, checked }, { error: "2 problems", checked: ["src/main.api.ts", "src/main.cli.ts"] });
  assert.match(problems[0].message, /^First \(module "app"\) .*Missing/);
  assert.match(problems[1].message, /^OneController \(module "app"\) has no routes\(\) method/);
});

test("tenon check runs the type checker of the application", { skip: !isFull }, async () => {
  const folder = createRealApp(shopFiles);
  const options = { module: "nodenext", strict: true, noEmit: true, allowImportingTsExtensions: true };
  const compilerOptions = { ...options, skipLibCheck: true, customConditions: ["@tenon/source"], types: [] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["src/wrong.ts"] }));
  writeFileSync(join(folder, "src/wrong.ts"), 'export const a = 1;\nexport const b: number = "text";\n');
  const { code, stdout } = await runCommand("check", `--in=${folder}`);
  assert.equal(code, 1);
  assert.equal(
    stdout,
    "types: src/wrong.ts:2: TS2322: Type 'string' is not assignable to type 'number'.\n    export const b: number = \"text\";\n",
  );
});

test("tenon check reports guarded routes that an open one shadows", async () => {
  const shared = { method: "GET", controller: "Posts", middlewares: [], declared: true, policies: [] };
  const routes = [
    { ...shared, path: "/posts/new", handler: "form", secured: false },
    {
      ...shared,
      path: "/posts/:id",
      handler: "show",
      secured: true,
      shadowedBy: ["GET /posts/new"],
      file: "/elsewhere/posts.ts",
      line: 7,
    },
  ];
  const folder = createApplication({ "src/main.ts": toDescribing({ routes }) });
  const { code, stdout } = await runCommand("check", `--in=${folder}`);
  assert.equal(code, 1);
  assert.equal(stdout, "routes: /elsewhere/posts.ts:7: GET /posts/:id (Posts.show) is shadowed by GET /posts/new\n");
});

test("tenon check outside an application says so", async () => {
  const { code, stderr } = await runCommand("check", `--in=${temporaryFolder("none")}`);
  assert.equal(code, 1);
  assert.match(stderr, /is not an application: it has no package\.json/);
});

test("tenon info prints versions, entry points and stores without passwords", async () => {
  const { code, stdout } = await runCommand("info", `--in=${createRealApp(dataFiles)}`);
  assert.equal(code, 0);
  for (const line of [
    /^tenon +\d+\.\d+\.\d+/,
    /^node +\d+\.\d+\.\d+$/m,
    /^npm +\d+\.\d+\.\d+$/m,
    /^platform +\w+ \w+/m,
    /^application +shop$/m,
    /^@tenon\/core +\d+\.\d+\.\d+$/m,
    /^@tenon\/missing +not installed$/m,
    /^entry points +src\/main\.ts$/m,
    /^database +postgres db\.test:5432$/m,
    /^cache +redis cache\.test:6379$/m,
    /^database guarantees +all instances; what was answered is on the disk of the server/m,
    /^cache guarantees +all instances; entries may be lost at any time$/m,
  ]) {
    assert.match(stdout, line);
  }
  assert.doesNotMatch(stdout, /secret/);
});

test("tenon info works for a broken application and outside of one", async () => {
  const broken = await runCommand("info", "--json", `--in=${createRealApp({ "src/main.ts": "throw 1;" })}`);
  assert.equal(JSON.parse(broken.stdout).note, "src/main.ts failed to start: 1 was thrown");
  const outside = await runCommand("info", "--json", `--in=${temporaryFolder("none")}`);
  const { entryPoints, packages, note } = JSON.parse(outside.stdout);
  assert.deepEqual(
    { entryPoints, packages, note },
    { entryPoints: [], packages: {}, note: "the folder is not an application" },
  );
});
