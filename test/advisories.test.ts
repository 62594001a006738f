import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { advisories } from "./support/advisories.ts";
import { findGaps, readNamedTests, readNotApplicable } from "./support/advisory-coverage.ts";
import { root } from "./support/run.ts";

test("each advisory has a test that is named after it, or a reason in SECURITY.md why it cannot concern us", () => {
  const files = globSync("{packages,apps}/*/test/advisories/**/*.test.ts", { cwd: root });
  const tests = files
    .flatMap((file) => readNamedTests(file, readFileSync(join(root, file), "utf8")))
    .filter(({ id }) => !/^W\d/.test(id)); // parts of the test plan, not advisories
  const notApplicable = readNotApplicable(readFileSync(join(root, "SECURITY.md"), "utf8"));
  assert.equal(Object.keys(advisories).length, 116);
  assert.deepEqual(findGaps(advisories, tests, notApplicable), []);
});

const list = { P1: "one CVE-1", P2: "two CVE-2" };
const source = 'test("P1 one CVE-1: holds", () => {});\ntestOnWire(\n  `P2 two CVE-2: holds for $name`,\n);';

test("the check reads names from calls only, in every kind of quotes", () => {
  assert.deepEqual(
    readNamedTests("a.test.ts", `${source}\n// test P3\nconst name = "P4 no test";\n describeOnWire('P5 x: "y"');`),
    [
      { file: "a.test.ts", id: "P1", name: "P1 one CVE-1: holds" },
      { file: "a.test.ts", id: "P2", name: "P2 two CVE-2: holds for $name" },
      { file: "a.test.ts", id: "P5", name: 'P5 x: "y"' },
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
  assert.deepEqual(findGaps(list, [one], excuse(`| P2 | two CVE-2 | ${reason} |`)), []);
  assert.deepEqual(findGaps(list, [one], []), ["P2 two CVE-2 has neither a test nor a reason not to"]);
  assert.deepEqual(findGaps(list, tests, excuse(`| P2 | two CVE-2 | ${reason} |`)), [
    "P2 has a test and is called not applicable",
  ]);
  assert.deepEqual(findGaps(list, [one, two, { ...one, id: "P3", name: "P3 x: y" }], []), [
    "a.test.ts: P3 is not on the list",
  ]);
  assert.deepEqual(findGaps(list, [one, { ...two, name: "P2 holds" }], []), [
    'a.test.ts: "P2 holds" does not begin with "P2 two CVE-2: "',
  ]);
  assert.deepEqual(findGaps(list, [one], excuse(`| P2 | another | ${reason} |`)), ['SECURITY.md: P2 is not "another"']);
  assert.deepEqual(findGaps(list, [one], excuse("| P2 | two CVE-2 | no |")), ["SECURITY.md: P2 has no reason"]);
  assert.deepEqual(readNotApplicable(`| P2 | two CVE-2 | ${reason} |`), [], "only under its heading");
});
