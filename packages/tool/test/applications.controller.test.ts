import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createApplication, toDescribing } from "./support/described-app.ts";
import { runCommand } from "./support/tool.ts";

const posts = { controller: "PostsController", declared: true };
const guarded = { ...posts, middlewares: ["BearerAuth", "rateLimit"], secured: true };
const routes = [
  { ...posts, method: "GET", path: "/posts", handler: "index", middlewares: [], secured: false },
  { ...guarded, method: "POST", path: "/posts", handler: "create" },
];
const openapi = { openapi: "3.1.0", info: { title: "Blog" }, paths: { "/posts": { get: {}, post: {} } } };
const folder = createApplication({
  "src/main.api.ts": toDescribing({ routes, openapi }),
  "src/open.ts": toDescribing({ routes: [{ ...routes[1], secured: false }, routes[0]] }),
  "src/main.cli.ts": toDescribing({
    platform: "cli",
    routes: [{ ...posts, path: "posts/list", handler: "list", middlewares: [] }],
  }),
  "src/none.ts": "export {};",
});
const run = (...argv: string[]) => runCommand(...argv, `--in=${folder}`);

test("tenon routes prints a table", async () => {
  const { code, stdout } = await run("routes");
  assert.equal(code, 0);
  assert.deepEqual(
    stdout
      .trimEnd()
      .split("\n")
      .map((line) => line.trimEnd().split(/\s{2,}/))
      .filter((row) => row.length > 1),
    [
      ["method", "path", "handler", "guards"],
      ["GET", "/posts", "PostsController.index"],
      ["POST", "/posts", "PostsController.create", "BearerAuth, rateLimit"],
    ],
  );
});

test("tenon routes shows where handlers are written, relative to the application", async () => {
  const written = createApplication({
    "src/main.ts": toDescribing({
      routes: [
        { ...routes[0], file: "/elsewhere/posts.ts", line: 3 },
        { ...routes[1], secured: false, line: 12 },
      ],
    }).replace('"line":12', `"line":12,"file":process.cwd() + "/src/posts.ts"`),
  });
  const { stdout } = await runCommand("routes", `--in=${written}`);
  assert.match(stdout, /^GET .* \/elsewhere\/posts\.ts:3$/m);
  assert.match(stdout, /^POST .* src\/posts\.ts:12$/m);
  const audit = await runCommand("routes", "--audit", `--in=${written}`);
  assert.equal(audit.stdout, "unguarded write: POST /posts (PostsController.create, src/posts.ts:12)\n");
});

test("tenon routes --audit accepts the routes of --ignore, and refuses unknown ones", async () => {
  const open = ["routes", "--audit", "--entry=src/open.ts"];
  assert.deepEqual(await run(...open, "--ignore=POST /posts"), { code: 0, stdout: "no findings\n", stderr: "" });
  assert.deepEqual(await run(...open, "--ignore=POST /posts,POST /logn"), {
    code: 1,
    stdout: "",
    stderr: "tenon: --ignore: there is no route POST /logn\n",
  });
});

test("tenon routes prints commands by their words", async () => {
  const { stdout } = await run("routes", "--entry=src/main.cli.ts");
  assert.match(stdout, /^command .*\n(?:.*\n)?posts\/list +PostsController\.list/i);
});

test("tenon routes --json prints the whole descriptions", async () => {
  assert.deepEqual(JSON.parse((await run("routes", "--json")).stdout), routes);
});

test("tenon routes --audit succeeds without findings, and fails with a list of them", async () => {
  assert.deepEqual(await run("routes", "--audit"), { code: 0, stdout: "no findings\n", stderr: "" });
  assert.deepEqual(await run("routes", "--audit", "--json"), { code: 0, stdout: "[]\n", stderr: "" });
  const finding = { finding: "unguarded write", route: "POST /posts", handler: "PostsController.create" };
  assert.deepEqual(await run("routes", "--audit", "--entry=src/open.ts"), {
    code: 1,
    stdout: "unguarded write: POST /posts (PostsController.create)\n",
    stderr: "tenon: 1 finding\n",
  });
  const json = await run("routes", "--audit", "--json", "--entry=src/open.ts");
  assert.equal(json.code, 1);
  assert.deepEqual(JSON.parse(json.stdout), { error: "1 finding", findings: [finding] });
});

test("tenon openapi prints the document", async () => {
  for (const flags of [[], ["--json"]]) {
    const { code, stdout } = await run("openapi", ...flags);
    assert.equal(code, 0);
    assert.equal(stdout, `${JSON.stringify(openapi, undefined, 2)}\n`);
  }
});

test("tenon openapi --out writes the document, and only over another document", async () => {
  const out = join(folder, "openapi.json");
  assert.equal((await run("openapi", "--out=openapi.json")).stdout, "created  openapi.json: 2 operations\n");
  assert.deepEqual(JSON.parse(readFileSync(out, "utf8")), openapi);
  assert.equal((await run("openapi", "--out=openapi.json")).stdout, "unchanged  openapi.json: 2 operations\n");
  writeFileSync(out, JSON.stringify(openapi));
  assert.equal((await run("openapi", "--out=openapi.json")).stdout, "changed  openapi.json: 2 operations\n");
  const { code, stderr } = await run("openapi", "--out=package.json");
  assert.equal(code, 1);
  assert.equal(stderr, "tenon: package.json exists already and was not generated: nothing was changed\n");
});

test("tenon openapi fails where there is no document or no description", async () => {
  const cli = await run("openapi", "--entry=src/main.cli.ts");
  assert.deepEqual([cli.code, cli.stderr], [1, "tenon: the cli platform has no OpenAPI document\n"]);
  const none = await run("openapi", "--entry=src/none.ts");
  assert.equal(none.code, 1);
  assert.match(none.stderr, /^tenon: src\/none\.ts ended without describing itself/);
});
