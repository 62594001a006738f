import assert from "node:assert/strict";
import { cpSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../../../../test/support/run.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { findEntryPoint, listEntryPoints } from "../../src/run/entry-point.ts";
import { createApplication } from "../support/described-app.ts";

const files = (...names: string[]) => Object.fromEntries(names.map((name) => [name, ""]));

test("the API comes before other entry points", () => {
  const all = ["src/main.cli.ts", "src/main.web.ts", "src/main.ts", "src/main.api.ts"];
  for (let count = 1; count <= all.length; count++) {
    const folder = createApplication(files(...all.slice(0, count)));
    assert.equal(findEntryPoint(folder).file, all[count - 1]);
  }
});

test("a worker is listed last, and describes no application", () => {
  const folder = createApplication(files("src/main.worker.ts", "src/main.web.ts", "src/main.api.ts"));
  assert.deepEqual(listEntryPoints(folder), ["src/main.api.ts", "src/main.web.ts", "src/main.worker.ts"]);
  assert.throws(() => findEntryPoint(createApplication(files("src/main.worker.ts"))), /has no entry point/);
});

test("a given entry point comes first, and must exist", () => {
  const folder = createApplication(files("src/main.api.ts", "src/other.ts"));
  assert.equal(findEntryPoint(folder, "src/other.ts").file, "src/other.ts");
  assert.throws(() => findEntryPoint(folder, "src/lost.ts"), /there is no entry point .*src\/lost\.ts$/);
});

test("the start script names the entry point of another layout", () => {
  const folder = createApplication(files("server.ts"), {
    build: "tsc",
    start: "tsc && NODE_ENV=test node ./server.ts",
  });
  assert.deepEqual(findEntryPoint(folder), { file: "server.ts", flags: [] });
});

test("the flags are those of the script that runs the entry point, or else of start", () => {
  const folder = createApplication(files("src/main.api.ts", "src/main.web.ts", "src/x.ts"), {
    start: "node --watch --inspect=0 --conditions=@tenon/source --import ./hook.mjs 'src/main.api.ts' --port 1",
    web: 'node "--env-file" web.env src/main.web.ts',
    odd: "node --test",
  });
  const start = ["--conditions=@tenon/source", "--import", "./hook.mjs"];
  assert.deepEqual(findEntryPoint(folder).flags, start);
  assert.deepEqual(findEntryPoint(folder, "src/x.ts").flags, start);
  assert.deepEqual(findEntryPoint(folder, "src/main.web.ts").flags, ["--env-file", "web.env"]);
});

test("a framework that is linked from a checkout runs from its source", () => {
  const folder = createApplication(files("src/main.ts"));
  mkdirSync(join(folder, "node_modules/@tenon"), { recursive: true });
  symlinkSync(join(root, "packages/core"), join(folder, "node_modules/@tenon/core"));
  assert.deepEqual(findEntryPoint(folder).flags, ["--conditions=@tenon/source"]);
});

test("an installed framework runs from its build", () => {
  const folder = createApplication(files("src/main.ts"));
  cpSync(join(root, "packages/core/package.json"), join(folder, "node_modules/@tenon/core/package.json"));
  assert.deepEqual(findEntryPoint(folder).flags, []);
});

test("a folder without an application or an entry point is refused", () => {
  assert.throws(() => findEntryPoint(temporaryFolder("empty")), /is not an application: it has no package\.json/);
  assert.throws(
    () => findEntryPoint(createApplication({}, { start: "vite" })),
    /has no entry point: .*--entry=<file>$/,
  );
});

for (const template of ["api", "web", "cli", "full"]) {
  test(`the entry point of the template ${template} is found`, () => {
    const { file } = findEntryPoint(join(root, "packages/tool/templates", template));
    assert.equal(file, `src/main.${template === "full" ? "api" : template}.ts`);
  });
}
