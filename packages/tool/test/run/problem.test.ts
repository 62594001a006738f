import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder, writeFiles } from "../../../../test/support/temporary-folder.ts";
import { toProblems } from "../../src/run/applications.ts";
import { toProblemText, toStartProblem } from "../../src/run/problem.ts";

const entry = "src/main.ts";

test("a failure is a problem at its place, with the code there", () => {
  const folder = temporaryFolder("problem");
  writeFiles(folder, { "src/posts.ts": "\n  throw new Error();\n" });
  const place = { file: join(folder, "src/posts.ts"), line: 2, column: 9 };
  assert.deepEqual(toStartProblem({ message: `Error: no ${folder}/x`, place, frames: [] }, folder), {
    kind: "start",
    message: "no x",
    file: "src/posts.ts",
    line: 2,
    code: "  1 |\n> 2 |   throw new Error();\n    |         ^\n  3 |",
  });
  const lost = { ...place, line: 9 };
  const { code, message } = toStartProblem({ message: "RangeError: deep", place: lost, frames: [] }, folder);
  assert.deepEqual([code, message], [undefined, "RangeError: deep"]);
});

test("a problem without a place is about the entry point", () => {
  assert.deepEqual(toProblems([{ kind: "start", message: "PORT is not set." }], "Cannot start: …", entry), [
    { kind: "start", file: entry, message: "PORT is not set." },
  ]);
});

test("what an application wrote before it ended itself is its problem", () => {
  assert.deepEqual(toProblems([], "Killed\n", entry), [{ kind: "start", file: entry, message: "Killed" }]);
  assert.deepEqual(toProblems([], "\n", entry), []);
});

test("a known mistake has a hint", () => {
  const { hint } = toStartProblem(
    { message: "Error: connect ECONNREFUSED ::1:5432", place: undefined, frames: [] },
    "/srv",
  );
  assert.match(hint ?? "", /^Nothing listens at ::1:5432: start/);
});

test("a problem is one line, then the code and the hint", () => {
  const problem = {
    kind: "types",
    message: "wrong",
    file: "a.ts",
    line: 1,
    code: "> 1 | let a;",
    hint: "Write b.",
  } as const;
  assert.equal(toProblemText(problem), "types: a.ts:1: wrong\n    > 1 | let a;\n    hint: Write b.\n");
  assert.equal(toProblemText({ kind: "start", message: "wrong" }), "start: wrong\n");
});
