import assert from "node:assert/strict";
import { cpSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { check } from "../scripts/release/check.ts";
import { findObstacles } from "../scripts/release/obstacles.ts";
import { packAll, toPublished } from "../scripts/release/pack.ts";
import { commonVersion, readPackages, setVersion } from "../scripts/release/packages.ts";
import { settings } from "../scripts/release/settings.ts";
import { root, run } from "./support/run.ts";
import { temporaryFolder, writeFiles } from "./support/temporary-folder.ts";

/** A workspace with these packages, each with the files that npm packs. */
function workspace(packages: Readonly<Record<string, object>>): string {
  const folder = temporaryFolder("release");
  for (const [name, fields] of Object.entries(packages)) {
    const manifest = {
      name,
      version: "1.0.0",
      type: "module",
      license: "MIT",
      files: ["dist"],
      exports: {},
      ...fields,
    };
    writeFiles(join(folder, "packages", name.replace("@tenon/", "")), {
      "package.json": JSON.stringify(manifest),
      "README.md": "See [the docs](../../docs/README.md).\n",
      LICENSE: "MIT\n",
      "dist/index.js": "export const one = 1;\n",
      "dist/index.d.ts": "export declare const one = 1;\n",
    });
  }
  return folder;
}

test("the packages of the workspace have one version and are published after their dependencies", () => {
  const packages = readPackages(root);
  commonVersion(packages);
  const names = packages.map(({ manifest }) => manifest.name);
  assert.deepEqual(names.toSorted(), [
    "@tenon/accounts",
    "@tenon/auth",
    "@tenon/core",
    "@tenon/data",
    "@tenon/devtools",
    "@tenon/fuzz",
    "@tenon/jobs",
    "@tenon/live",
    "@tenon/mail",
    "@tenon/observe",
    "@tenon/server",
    "@tenon/web",
    "create-tenon",
    "tenon",
  ]);
  for (const { manifest } of packages) {
    const own = Object.keys(manifest.dependencies ?? {}).filter((name) => names.includes(name));
    for (const name of own)
      assert.ok(names.indexOf(name) < names.indexOf(manifest.name), `${name} before ${manifest.name}`);
  }
});

test("reports versions that differ, and packages that depend on each other", () => {
  const mixed = workspace({ a: {}, b: { version: "2.0.0" } });
  assert.throws(() => commonVersion(readPackages(mixed)), /the versions 1\.0\.0, 2\.0\.0/);
  const circle = workspace({ a: { dependencies: { b: "1.0.0" } }, b: { dependencies: { a: "1.0.0" } } });
  assert.throws(() => readPackages(circle), /a, b depend on each other/);
});

test("--set-version sets every version, those of templates, applications and the lock file included", () => {
  const copy = temporaryFolder("release");
  const files = globSync(
    ["package-lock.json", "{packages,apps}/*/package.json", "packages/tool/templates/*/package.json"],
    { cwd: root },
  );
  for (const file of files) cpSync(join(root, file), join(copy, file));
  const before = commonVersion(readPackages(root));
  const changed = setVersion(copy, "98.7.6-beta.1");
  assert.deepEqual(changed, files.toSorted());
  assert.equal(commonVersion(readPackages(copy)), "98.7.6-beta.1");
  for (const file of changed) {
    const text = readFileSync(join(copy, file), "utf8");
    assert.doesNotMatch(text, new RegExp(`"(?:tenon|@tenon/\\w+)": "\\^?${RegExp.escape(before)}"`), file);
  }
  assert.match(
    readFileSync(join(copy, "packages/tool/templates/web/package.json"), "utf8"),
    /"tenon": "\^98\.7\.6-beta\.1"/,
  );
  setVersion(copy, before);
  for (const file of files)
    assert.equal(readFileSync(join(copy, file), "utf8"), readFileSync(join(root, file), "utf8"));
  assert.throws(() => setVersion(copy, "v2"), /v2 is not a version such as 0\.2\.0/);
});

test("refuses to publish without a repository, or with changes that are not committed", () => {
  const complete = { ...settings, repository: "git+https://example.com/tenon.git" };
  assert.deepEqual(findObstacles(complete, ""), []);
  assert.deepEqual(findObstacles({ ...settings, repository: undefined }, " M package.json\n"), [
    "fill in the repository in scripts/release/settings.ts",
    "commit or remove these changes:\n M package.json",
  ]);
});

test("the settings of a release are part of every published manifest", () => {
  const [first] = readPackages(root);
  assert.ok(first !== undefined);
  const published = toPublished(first, { ...settings, repository: "git+https://example.com/tenon.git" });
  assert.deepEqual(published.repository, {
    type: "git",
    url: "git+https://example.com/tenon.git",
    directory: `packages/${first.folder}`,
  });
  assert.equal(toPublished(first, { ...settings, repository: undefined }).repository, undefined);
});

test("packs what is built, and reports a package whose entry points or types are wrong", async () => {
  const typed = { ".": { types: "./dist/index.d.ts", default: "./dist/index.js" } };
  const folder = workspace({
    good: { exports: typed },
    lost: { exports: { ".": "./dist/main.js" } },
    untyped: { exports: { ...typed, "./other": "./dist/other.js" } },
  });
  writeFiles(join(folder, "packages/untyped/dist"), { "other.js": "export const two = 2;\n" });
  const tarballs = await packAll(folder, folder, { ...settings, documentation: "https://example.com/docs/" });
  const [good = [], lost = [], untyped = []] = await Promise.all(tarballs.map(check));
  assert.deepEqual(tarballs[0]?.files, ["LICENSE", "README.md", "dist/index.d.ts", "dist/index.js", "package.json"]);
  assert.deepEqual(good, []);
  assert.match(lost.join("\n"), /lost: .*\.\/dist\/main\.js .*does not exist/);
  assert.match(untyped.join("\n"), /untyped: the types are wrong: UntypedResolution of \.\/other/);
  const unbuilt = workspace({ good: { files: ["dist", "bin"] } });
  await assert.rejects(packAll(unbuilt, unbuilt), /good has no bin: run npm run build/);
});

test("a packaged page links only what the package contains", async () => {
  const folder = workspace({ "@tenon/core": {} });
  writeFiles(join(folder, "docs"), {
    "README.md": "[Home](../README.md), [source](../apps/hello/src), ![A page](images/page.png)\n",
    "recipes/one.md": "[All](../README.md#all), [figures](../../bench/NOTES.md), [npm](https://npmjs.com)\n",
  });
  await packAll(folder, folder);
  const packed = (page: string) => readFileSync(join(folder, "stage/core/docs", page), "utf8");
  assert.equal(packed("README.md"), "[Home](../README.md), source, A page\n");
  assert.equal(packed("recipes/one.md"), "[All](../README.md#all), figures, [npm](https://npmjs.com)\n");
});

test("a rehearsal refuses a registry that is not on this machine", async () => {
  for (const url of ["https://registry.example.com/", "http://127.0.0.1.example.com/", "here"]) {
    const { code, stdout, stderr } = await run(process.execPath, ["scripts/release.mjs", `--rehearse=${url}`]);
    assert.deepEqual([code, stdout], [1, ""]);
    assert.equal(stderr, `--rehearse takes the URL of a registry on this machine, not ${url}\n`);
  }
});

test("an unknown option ends with exit code 2 and names the others", async () => {
  const { code, stderr } = await run(process.execPath, ["scripts/release.mjs", "--dry"]);
  assert.equal(code, 2);
  assert.match(stderr, /'--dry'.*Options: --dry-run/);
});
