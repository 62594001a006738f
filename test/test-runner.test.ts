import assert from "node:assert/strict";
import { existsSync, globSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { longTests } from "../scripts/test/long-tests.ts";
import { smokeTests } from "../scripts/test/smoke-tests.ts";
import { root, run } from "./support/run.ts";
import { temporaryFolder, writeFiles } from "./support/temporary-folder.ts";

const folder = temporaryFolder("test-runner");

/** Runs `npm test` in a workspace that has these files only. */
async function runTests(name: string, files: Readonly<Record<string, string>>, ...args: readonly string[]) {
  const workspace = join(folder, name);
  writeFiles(workspace, files);
  const env = { NODE_ENV: "production", PORT: "1", DATABASE_URL: "postgres://user@127.0.0.1:1/theirs" };
  return run(process.execPath, [`${root}scripts/test.mjs`, ...args], { cwd: workspace, env });
}

const fine = 'import { test } from "node:test";\ntest("a test that passes", () => {});\n';
/** Where the failures are repeated. */
const endOf = (stdout: string) => stdout.slice(stdout.indexOf("failing tests:"));

/** The one total, which ends the output. */
function totalOf(stdout: string): Record<string, number> {
  assert.equal(stdout.match(/^ℹ tests /gm)?.length, 1, stdout);
  const lines = [...stdout.slice(stdout.indexOf("ℹ tests ")).matchAll(/^ℹ ([a-z]+) ([0-9]+)$/gm)];
  assert.ok(/ℹ duration_ms [0-9]+\n$/.test(stdout), stdout);
  return Object.fromEntries(lines.map(([, name, count]) => [name, Number(count)]));
}

const none = { tests: 0, suites: 0, pass: 0, fail: 0, cancelled: 0, skipped: 0, todo: 0 };

test("failures of several processes are repeated at the end, before one total, and each left-out note is printed once", async () => {
  const leftOut = 'process.stdout.write("left out: the tests that need a moon (there is none)\\n");\n';
  const { code, stdout } = await runTests("failures", {
    "packages/core/test/fine.test.ts": `${leftOut}${fine}`,
    "apps/a/test/failing.test.ts": `${leftOut}
      import assert from "node:assert/strict";
      import { describe, test } from "node:test";
      describe("a suite", () => {
        test("a test that fails", () => assert.deepEqual({ a: 1 }, { a: 2 }));
        test("a test that is skipped", { skip: "it is late" }, () => {});
      });`,
  });
  assert.equal(code, 1);
  assert.match(stdout, /^✖ a suite › a test that fails apps\/a\/test\/failing\.test\.ts:6:9\n/m);
  assert.match(stdout, /^✔ packages\/core and .*: 1 tests, [0-9]+ s$/m);
  const end = endOf(stdout);
  assert.match(end, /\n\napps\/a\/test\/failing\.test\.ts:6:9\n✖ a suite › a test that fails\n {2}AssertionError/);
  assert.match(end, /\+ {3}a: 1\n {2}- {3}a: 2\n/);
  assert.equal(stdout.match(/left out: the tests that need a moon/g)?.length, 1);
  assert.match(end, /^left out: a test that is skipped \(it is late\)$/m);
  assert.deepEqual(totalOf(stdout), { ...none, tests: 3, suites: 1, pass: 1, fail: 1, skipped: 1 });
});

test("tests that are skipped for what the machine does not have share one line, and others are named", async () => {
  const skipped = (name: string) => `
    import { test } from "node:test";
    test("${name}", { skip: true }, () => {});
    test("${name} too", { skip: true }, () => {});`;
  const line = "left out: the tests that need postgres and redis (not reachable on this machine)";
  const { code, stdout } = await runTests("skipped", {
    "packages/core/test/needs.test.ts": `${skipped("needs it")}\nprocess.stdout.write("${line}\\n");`,
    "apps/a/test/bare.test.ts": skipped("skipped"),
  });
  assert.equal(code, 0, stdout);
  const lines = stdout.split("\n").filter((text) => text.startsWith("left out: "));
  assert.deepEqual(lines.toSorted(), ["left out: skipped", "left out: skipped too", line]);
  assert.deepEqual(totalOf(stdout), { ...none, tests: 4, skipped: 4 });
});

test("a process that ends before its tests, a file that cannot be imported and one without tests are failures", async () => {
  const { code, stdout } = await runTests("crashes", {
    "packages/core/test/exits.test.ts": `${fine}test("a test that exits", () => process.exit(0));`,
    "packages/live/test/throws.test.ts": `${fine}throw new Error("thrown while it was imported");`,
    "apps/a/test/empty.test.ts": "export {};",
    "test/late.test.ts": `
      import { test } from "node:test";
      test("a test that ends too early", () => void setTimeout(() => { throw new Error("thrown late"); }));
      test("the test after it", () => new Promise((resolve) => setTimeout(resolve, 100)));`,
  });
  assert.equal(code, 1);
  const end = endOf(stdout);
  assert.match(
    end,
    /✖ packages\/core and .*: the process ended with exit code 0 before its tests did\n {2}the last test that began: packages\/core\/test\/exits\.test\.ts a test that exits\n/,
  );
  assert.match(
    end,
    /✖ .*: packages\/live\/test\/throws\.test\.ts cannot be imported\n {2}Error: thrown while it was imported\n/,
  );
  assert.match(end, /✖ .*: no tests\n {2}apps\/a\/test\/empty\.test\.ts\n/);
  assert.match(end, /✖ .*: the process ended with exit code 1\n.*a test that ends too early.*thrown late/);
  assert.deepEqual(totalOf(stdout), { ...none, tests: 7, pass: 3, fail: 4 });
});

test("a process in which no test starts or ends within the deadline is stopped, and the test is named", async () => {
  const hang = 'test("a test that hangs", () => new Promise((resolve) => setTimeout(resolve, 600_000)));';
  const { code, stdout } = await runTests("hangs", { "test/hangs.test.ts": `${fine}${hang}` }, "--deadline=5");
  assert.equal(code, 1);
  assert.match(endOf(stdout), /✖ .*: no test began or ended for 5 s\n(?: {2}.*\n)*? {2}.*test\/hangs\.test\.ts/);
  assert.deepEqual(totalOf(stdout), { ...none, tests: 1, fail: 1 });
});

test("a part of the tests shows their names, and nothing to run ends with code 2", async () => {
  const files = {
    "test/a.test.ts": `${fine}import { describe } from "node:test";\ndescribe("suite", () => void test("inside \u2028", () => {}));`, // where readline ends a line
    "test/b.test.ts": fine,
  };
  const part = await runTests("part", files, "a.test");
  assert.equal(part.code, 0, part.stdout);
  assert.match(
    part.stdout,
    /^✔ a test that passes \([0-9.]+ms\)\n▶ suite\n {2}✔ inside \u2028 \([0-9.]+ms\)\n✔ suite \([0-9.]+ms\)\n\nℹ tests 2\n/,
  );
  const nothing = await runTests("part", files, "c.test");
  assert.deepEqual(nothing, { code: 2, stdout: "", stderr: "no test file matches c.test\n" });
  const noName = await runTests("part", files, "a.test", "--name=another");
  assert.equal(noName.code, 2);
  assert.equal(noName.stderr, "no test matches --name=another\n");
  assert.deepEqual(totalOf(noName.stdout), none);
  const unknown = await runTests("part", files, "--fast");
  assert.equal(unknown.code, 2);
  assert.match(unknown.stderr, /^unknown option --fast; options: /);
});

test("long test files are left out with one line; --long and a part of their path run them", async () => {
  const files = {
    "test/short.test.ts": fine,
    "test/packaging.test.ts": fine.replace("passes", "is long"),
    "apps/reference/test/browser/a.test.ts": fine.replace("passes", "needs a browser"),
  };
  const short = await runTests("long", files);
  assert.equal(short.code, 0, short.stdout);
  assert.match(short.stdout, /^left out: 2 long test files \(npm run test:long\)$/m);
  assert.deepEqual(totalOf(short.stdout), { ...none, tests: 1, pass: 1 });
  const long = await runTests("long", files, "--long");
  assert.doesNotMatch(long.stdout, /left out/);
  assert.deepEqual(totalOf(long.stdout), { ...none, tests: 2, pass: 2 });
  const named = await runTests("long", files, "browser");
  assert.match(named.stdout, /^✔ a test that needs a browser/);
  assert.deepEqual(totalOf(named.stdout), { ...none, tests: 1, pass: 1 });
  const full = await runTests("long", files, "--full");
  assert.deepEqual(totalOf(full.stdout), { ...none, tests: 3, pass: 3 });
  const nothing = await runTests("long", files, "--long", "short");
  assert.deepEqual(nothing, { code: 2, stdout: "", stderr: "no long test file matches short\n" });
});

test("what a shell has set for applications reaches no test", async () => {
  const { code, stdout } = await runTests("shell", {
    "test/shell.test.ts": `
      import assert from "node:assert/strict";
      import { test } from "node:test";
      test("the environment of tests", () => {
        const { NODE_ENV, HOST, PORT, DATABASE_URL, REDIS_URL, PATH } = process.env;
        assert.deepEqual([NODE_ENV, HOST, PORT, DATABASE_URL, REDIS_URL], Array(5).fill(undefined));
        assert.ok(PATH);
      });`,
  });
  assert.equal(code, 0, stdout);
});

test("--smoke runs the files of its list, short and long; each exists, and each package has one", async () => {
  const files = {
    "test/other.test.ts": fine,
    "packages/mail/test/smtp.test.ts": fine,
    "packages/tool/test/bin.test.ts": fine,
  };
  const { code, stdout } = await runTests("smoke", files, "--smoke");
  assert.equal(code, 0, stdout);
  assert.deepEqual(totalOf(stdout), { ...none, tests: 2, pass: 2 });
  for (const file of smokeTests) assert.ok(existsSync(join(root, file)), file);
  const packagesWithTests = globSync("packages/*/test", { cwd: root });
  assert.ok(packagesWithTests.length > 10);
  for (const path of packagesWithTests)
    assert.ok(
      smokeTests.some((file) => file.startsWith(`${path}/`)),
      path,
    );
});

test("every file in the list of long tests exists", () => {
  for (const entry of longTests.filter((path) => !path.endsWith("/"))) assert.ok(existsSync(join(root, entry)), entry);
});

test("coverage has its table, its gate and the same total", async () => {
  const source = 'export const even = (n: number) => {\n  if (n % 2 === 0) return "yes";\n  return "no";\n};\n';
  const covers = (numbers: string) => `
    import { test } from "node:test";
    import { even } from "../src/even.ts";
    test("even", () => void [${numbers}].map(even));`;
  const missed = await runTests(
    "coverage",
    { "packages/a/src/even.ts": source, "packages/a/test/even.test.ts": covers("1") },
    "--coverage",
  );
  assert.equal(missed.code, 1);
  assert.match(missed.stdout, /^100\.00 +[0-9.]+ {4}packages\/a\/src\/even\.ts: 2$/m);
  assert.match(endOf(missed.stdout), /✖ all tests: .*\n {2}all packages: [0-9.]+ % of the branches; at least 95 %\n/);
  assert.deepEqual(totalOf(missed.stdout), { ...none, tests: 2, pass: 1, fail: 1 });
  const met = await runTests("coverage", { "packages/a/test/even.test.ts": covers("1, 2") }, "--coverage");
  assert.equal(met.code, 0, met.stdout);
  assert.deepEqual(totalOf(met.stdout), { ...none, tests: 1, pass: 1 });
  const files = { "packages/core/src/even.ts": source, "packages/core/test/even.test.ts": covers("2, 4") };
  const core = await runTests("coverage-core", files, "--coverage", "packages/core/");
  assert.match(endOf(core.stdout), /✖ all tests: .*\n {2}core: [0-9.]+ % of the lines; at least 97 %\n/);
  const part = await runTests("coverage-core", files, "--coverage", "even");
  assert.equal(part.code, 0, part.stdout);
});
