import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createApplication, toDescribing } from "../support/described-app.ts";
import { runCommand } from "../support/tool.ts";

const openapi = { openapi: "3.1.0", info: { title: "Blog" }, paths: { "/posts": { get: {}, post: {} } } };
const folder = createApplication({
  "src/main.api.ts": toDescribing({ openapi }),
  "src/main.cli.ts": toDescribing({ platform: "cli" }),
  "src/none.ts": "export {};",
});
const run = (...argv: string[]) => runCommand(...argv, `--in=${folder}`);

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
