import assert from "node:assert/strict";
import { chmodSync, globSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { applyChanges, describeChange } from "../../../src/generate/edit/changes.ts";
import { runTool } from "../../support/tool.ts";

const created = (path: string, after: string) => ({ path, before: undefined, after });
const readAll = (folder: string) =>
  new Map(
    globSync("**/*", { cwd: folder, withFileTypes: true })
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
      .map((path) => [path, statSync(path).isFile() ? readFileSync(path, "utf8") : undefined]),
  );

test("creates and changes files, and leaves no temporary file", () => {
  const folder = temporaryFolder("changes");
  writeFileSync(join(folder, "old"), "old");
  chmodSync(join(folder, "old"), 0o750);
  applyChanges(folder, [created("a/b/new", "new"), { path: "old", before: "old", after: "changed" }]);
  assert.deepEqual(
    [...readAll(folder)].map(([path, text]) => [path.slice(folder.length + 1), text]),
    [
      ["a", undefined],
      ["a/b", undefined],
      ["a/b/new", "new"],
      ["old", "changed"],
    ],
  );
  assert.equal(statSync(join(folder, "old")).mode & 0o777, 0o750);
});

test("a changed file keeps its mode, whatever the umask", () => {
  const folder = temporaryFolder("changes");
  writeFileSync(join(folder, "old"), "old");
  chmodSync(join(folder, "old"), 0o755);
  const umask = process.umask(0o077);
  try {
    applyChanges(folder, [{ path: "old", before: "old", after: "changed" }]);
  } finally {
    process.umask(umask);
  }
  assert.equal(statSync(join(folder, "old")).mode & 0o777, 0o755);
});

test("changes the target of a symbolic link and keeps the link", () => {
  const folder = temporaryFolder("changes");
  writeFileSync(join(folder, "real"), "old");
  symlinkSync(join(folder, "real"), join(folder, "link"));
  applyChanges(folder, [{ path: "link", before: "old", after: "new" }]);
  assert.equal(readFileSync(join(folder, "real"), "utf8"), "new");
});

const failures = [
  ["a file that exists", created("taken", "x"), /^taken exists already: nothing was changed$/],
  ["a file instead of a folder", created("taken/x", "x"), /^taken\/x could not be written: .*nothing was changed$/],
  [
    "a file that another program has changed",
    { path: "taken", before: "other", after: "x" },
    /^taken was changed by another program/,
  ],
  ["a file that is missing", { path: "missing", before: "a", after: "b" }, /^missing could not be written/],
] as const;

for (const [name, change, message] of failures) {
  test(`leaves everything as it was for ${name}`, () => {
    const folder = temporaryFolder("changes");
    for (const file of ["taken", "old"]) writeFileSync(join(folder, file), file);
    const before = readAll(folder);
    const others = [created("a/b/new", "new"), { path: "old", before: "old", after: "changed" }];
    assert.throws(() => applyChanges(folder, [...others, change]), { message });
    assert.deepEqual(readAll(folder), before);
  });
}

test("leaves an application as it was when one of the files of a module cannot be written", async () => {
  const folder = temporaryFolder("atomic");
  await runTool(folder, "app", "--name=shop", "--template=web");
  const shop = join(folder, "shop");
  writeFileSync(join(shop, "views/posts"), "a file instead of a folder");
  mkdirSync(join(shop, "other"));
  const before = readAll(shop);
  const { code, stderr } = await runTool(shop, "g", "module", "--name=post", "--type=resource");
  assert.equal(code, 1);
  assert.match(stderr, /^tenon: views\/posts\/\w+\.eta could not be written: .*: nothing was changed\n$/);
  assert.deepEqual(readAll(shop), before);
});

test("describes what was done to a file", () => {
  assert.equal(describeChange(created("a", "x"), "shop/"), "created  shop/a\n");
  assert.equal(describeChange({ path: "a", before: "x", after: "y", note: "imports B" }), "changed  a: imports B\n");
});
