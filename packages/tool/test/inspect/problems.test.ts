import assert from "node:assert/strict";
import { test } from "node:test";
import { readStartProblems, readTypeProblems, toProblemText } from "../../src/inspect/problems.ts";

const entry = "src/main.ts";

test("the problems of a start are one each, also those of several lines", () => {
  const output =
    "a warning\nCannot start: 2 problems:\n  1. PORT is not set.\n  2. Modules import each other:\n     a -> b\n";
  assert.deepEqual(readStartProblems(output, entry, "/app"), [
    { kind: "start", file: entry, message: "PORT is not set." },
    { kind: "start", file: entry, message: "Modules import each other: a -> b" },
  ]);
  assert.deepEqual(readStartProblems("Cannot start: PORT is not set.\n", entry, "/app"), [
    { kind: "start", file: entry, message: "PORT is not set." },
  ]);
});

test("an error without a place is about the entry point", () => {
  assert.deepEqual(readStartProblems("", entry, "/app"), [
    { kind: "start", file: entry, message: "it ended without a message" },
  ]);
  assert.deepEqual(readStartProblems("Killed\n", entry, "/app"), [{ kind: "start", file: entry, message: "Killed" }]);
  assert.deepEqual(readStartProblems("RangeError: too deep\n", entry, "/app"), [
    { kind: "start", file: entry, message: "RangeError: too deep" },
  ]);
});

test("the messages of tsc are read with and without a place", () => {
  const output = "src/a.ts(3,5): error TS2322: Type 'string' is wrong.\n  more\nerror TS18003: No inputs were found.\n";
  assert.deepEqual(readTypeProblems(output, "/missing"), [
    { kind: "types", file: "src/a.ts", line: 3, message: "TS2322: Type 'string' is wrong." },
    { kind: "types", message: "TS18003: No inputs were found." },
  ]);
});

test("a problem is one line, and a second one with the code", () => {
  const problem = { kind: "types", message: "wrong", file: "a.ts", line: 3, code: "let a;" } as const;
  assert.equal(toProblemText(problem), "types: a.ts:3: wrong\n    let a;\n");
  assert.equal(toProblemText({ kind: "start", message: "wrong" }), "start: wrong\n");
});
