import assert from "node:assert/strict";
import { globSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { noteFigures } from "../../core/test/support/figures.ts";
import { seeded } from "../../core/test/support/seed.ts";
import { toModuleNames, toReplacements, validateAppName, validateModuleName } from "../src/names.ts";
import { runTool } from "./support/tool.ts";

test("converts a name to every form that the templates use", () => {
  for (const name of ["blog-post", "blog-posts"]) {
    assert.deepEqual(
      [...toReplacements(toModuleNames(name)).values()],
      [
        ...["BlogPosts", "BlogPost", "blogPosts", "blogPost", "blog-posts", "blog_posts"],
        ...["a blog post", "blog posts", "blog post", "Blog posts", "Blog post"],
      ],
    );
  }
  assert.deepEqual(toModuleNames("sales-person"), { singular: "sales-person", plural: "sales-people" });
});

test("keeps table names within the 63 characters of PostgreSQL", () => {
  for (const name of [`${"x".repeat(54)}-child`, "x".repeat(60), `${"b".repeat(59)}y`]) {
    assert.equal(validateModuleName(name), undefined);
    assert.ok((toReplacements(toModuleNames(name)).get("sample_items") ?? "").length <= 63, name);
  }
});

const refused = [
  "",
  "..",
  "../up",
  "/etc",
  "a/b",
  "a\\b",
  "a\0b",
  "C:",
  "Blog",
  "1st",
  "-a",
  "a-",
  "a--b",
  "a b",
  "a.b",
  "é",
  "class",
  "nul",
  "x".repeat(61),
];

test("refuses invalid names with a reason", () => {
  for (const name of refused) {
    assert.match(validateAppName(name) ?? "", /^must /, JSON.stringify(name));
    assert.match(validateModuleName(name) ?? "", /^must /, JSON.stringify(name));
  }
  for (const name of ["node", "typescript", "tenon"]) assert.match(validateAppName(name) ?? "", /package/, name);
  for (const name of ["context", "dates", "route", "data", "schema"]) {
    assert.match(validateModuleName(name) ?? "", /^must not be /, name);
  }
  for (const name of ["a", "blog-post", "shop2", "x".repeat(60)]) {
    assert.equal(validateAppName(name), undefined, name);
    assert.equal(validateModuleName(name), undefined, name);
  }
});

test("ends with exit code 2 and the reason for an invalid name, and writes nothing", async () => {
  const folder = temporaryFolder("refused");
  for (const name of refused) {
    for (const command of [["app"], ["g", "module", "--type=plain"], ["generate", "module", "--type=resource"]]) {
      const { code, stdout, stderr } = await runTool(folder, ...command, `--name=${name}`);
      assert.deepEqual([code, stdout], [2, ""], JSON.stringify(name));
      assert.match(stderr, /^tenon: --name must |^tenon: --name [^\n]+\n$/);
    }
  }
  assert.deepEqual(readdirSync(folder), []);
});

const pieces = [
  "..",
  "/",
  "\\",
  "\0",
  "\n",
  "~",
  "C:",
  "%2e%2e",
  "%2f",
  "$(touch x)",
  "; touch x",
  "x".repeat(300),
  ".",
  " ",
  "-",
  "$HOME",
  "`",
  '"',
  "é",
  "a",
  "con",
];
const hostile = fc.oneof(
  { weight: 8, arbitrary: fc.string({ unit: "binary", maxLength: 120 }) },
  { weight: 8, arbitrary: fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => parts.join("")) },
  { weight: 1, arbitrary: fc.stringMatching(/^[a-z][a-z0-9-]{0,2}$/) },
);

test("writes no file outside the target for hostile names", async () => {
  const root = temporaryFolder("hostile");
  const apps = join(root, "above", "apps");
  mkdirSync(apps, { recursive: true });
  assert.equal((await runTool(join(root, "above"), "app", "--name=shop")).code, 0);
  const shop = join(root, "above", "shop");
  const ownFiles = new Set(globSync("**/*", { cwd: shop }));
  const seen = new Set<number>();
  let refusals = 0;
  let withoutReason = 0;
  const { seed, numRuns } = seeded("hostile names", { fast: 1000, full: 10_000 });
  await fc.assert(
    fc.asyncProperty(hostile, fc.boolean(), async (name, asModule) => {
      const { code, stderr } = asModule
        ? await runTool(shop, "g", "module", "--type=plain", `--name=${name}`)
        : await runTool(apps, "app", `--name=${name}`);
      seen.add(code);
      assert.ok([0, 1, 2].includes(code));
      if (code !== 0) refusals++;
      if (code !== 0 && !/^tenon: .*[a-z]{3}/.test(stderr)) withoutReason++;
    }),
    { seed, numRuns },
  );
  assert.equal(withoutReason, 0);
  assert.deepEqual([...seen].sort(), [0, 1, 2], "some were created, some existed already, some were refused");
  assert.deepEqual(readdirSync(root), ["above"]);
  assert.deepEqual(readdirSync(join(root, "above")).sort(), ["apps", "shop"]);
  for (const name of readdirSync(apps)) assert.match(name, /^[a-z][a-z0-9-]*$/);
  for (const path of globSync("**/*", { cwd: shop })) {
    const isModule = /^src\/([a-z][a-z0-9-]*)(?:\/\1\.(?:module|controller|service)\.ts)?$/.test(path);
    assert.ok(ownFiles.has(path) || isModule || /^test\/[a-z][a-z0-9-]*\.test\.ts$/.test(path), path);
  }
  noteFigures({ names: numRuns, refused: refusals, withoutReason, outside: 0 });
});
