import assert from "node:assert/strict";
import { test } from "node:test";
import { readTypeProblems } from "../../src/inspect/type-problems.ts";

test("the messages of tsc are read with and without a place", () => {
  const output = "src/a.ts(3,5): error TS2322: Type 'string' is wrong.\n  more\nerror TS18003: No inputs were found.\n";
  assert.deepEqual(readTypeProblems(output, "/missing"), [
    { kind: "types", file: "src/a.ts", line: 3, message: "TS2322: Type 'string' is wrong.\n    more" },
    { kind: "types", message: "TS18003: No inputs were found." },
  ]);
});

test("of a long type error the beginning and the last details are shown", () => {
  const output = [
    `src/a.ts(4,2): error TS2345: Argument of type '${"x".repeat(400)}' is not assignable.`,
    "  Type 'A' is not assignable to type 'B'.",
    "    Types of property 'title' are incompatible.",
    "      Type 'number' is not assignable to type 'string'.",
    "src/a.ts(9,1): error TS7030: Not all code paths return a value.",
  ].join("\n");
  const [first, second] = readTypeProblems(output, "/missing");
  assert.match(first?.message ?? "", /^TS2345: Argument of type 'x{200,}…\n/);
  assert.deepEqual(first?.message.split("\n").slice(1), [
    "    Types of property 'title' are incompatible.",
    "    Type 'number' is not assignable to type 'string'.",
  ]);
  assert.equal(second?.message, "TS7030: Not all code paths return a value.");
});
