import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { advisories } from "./support/advisories.ts";
import { findGaps, readNamedTests, readNotApplicable } from "./support/advisory-coverage.ts";
import { root } from "./support/run.ts";

test("each advisory has a test with its id, or a reason in SECURITY.md why it does not apply", () => {
  const files = globSync("{packages,apps}/*/test/advisories/**/*.test.ts", { cwd: root });
  const tests = files
    .flatMap((file) => readNamedTests(file, readFileSync(join(root, file), "utf8")))
    .filter(({ id }) => !/^W\d/.test(id)); // parts of the test plan, not advisories
  const notApplicable = readNotApplicable(readFileSync(join(root, "SECURITY.md"), "utf8"));
  assert.equal(Object.keys(advisories).length, 116);
  assert.deepEqual(findGaps(advisories, tests, notApplicable), []);
});

const list = { P1: "one CVE-1-1", P2: "two CVE-2-2" };
const source =
  'test("it holds (P1, one CVE-1-1)", () => {});\ntestOnWire(\n  `it holds for $name (P2, two CVE-2-2)`,\n);';

test("the check reads names from calls only, in every kind of quotes", () => {
  assert.deepEqual(
    readNamedTests(
      "a.test.ts",
      `${source}\n// test (P3)\nconst name = "no test (P4)";\n describeOnWire('x "y" (P5)');`,
    ),
    [
      { file: "a.test.ts", id: "P1", name: "it holds (P1, one CVE-1-1)" },
      { file: "a.test.ts", id: "P2", name: "it holds for $name (P2, two CVE-2-2)" },
      { file: "a.test.ts", id: "P5", name: 'x "y" (P5)' },
    ],
  );
});

test("the check finds an advisory without a test, a test without one, and an excuse that is none", () => {
  const tests = readNamedTests("a.test.ts", source);
  const [one, two] = tests;
  assert.ok(one && two);
  const excuse = (line: string) => readNotApplicable(`# Security\n\n## Not applicable\n\n${line}\n\n## Next\n`);
  const reason = "There is nothing of the kind in any package.";
  assert.deepEqual(findGaps(list, tests, []), []);
  assert.deepEqual(findGaps(list, [one], excuse(`| P2 | two CVE-2-2 | ${reason} |`)), []);
  assert.deepEqual(findGaps(list, [one], []), ["P2 two CVE-2-2 has neither a test nor a reason not to"]);
  assert.deepEqual(findGaps(list, tests, excuse(`| P2 | two CVE-2-2 | ${reason} |`)), [
    "P2 has a test and is called not applicable",
  ]);
  assert.deepEqual(findGaps(list, [one, two, { ...one, id: "P3", name: "x (P3)" }], []), [
    "a.test.ts: P3 is not on the list",
  ]);
  for (const references of ["", ", CVE-1-1", ", two CVE-2-2, CVE-1-1"]) {
    const name = `it holds (P2${references})`;
    assert.deepEqual(findGaps(list, [one, { ...two, name }], []), [
      `a.test.ts: "${name}" does not name P2 with "two CVE-2-2"`,
    ]);
  }
  assert.deepEqual(findGaps(list, [one], excuse(`| P2 | another | ${reason} |`)), ['SECURITY.md: P2 is not "another"']);
  assert.deepEqual(findGaps(list, [one], excuse("| P2 | two CVE-2-2 | no |")), ["SECURITY.md: P2 has no reason"]);
  assert.deepEqual(readNotApplicable(`| P2 | two CVE-2-2 | ${reason} |`), [], "only under its heading");
});
