import assert from "node:assert/strict";
import { test } from "node:test";
import { parseRange } from "../../src/middleware/byte-range.ts";

test("one range is read as RFC 9110 has it; anything else asks for the whole", () => {
  const cases: [string, ReturnType<typeof parseRange>][] = [
    ["", undefined],
    ["bytes=0-0", { start: 0, end: 1 }],
    ["bytes=2-4", { start: 2, end: 5 }],
    ["bytes=2-", { start: 2, end: 10 }],
    ["bytes=-3", { start: 7, end: 10 }],
    ["bytes=-30", { start: 0, end: 10 }],
    ["bytes=8-99", { start: 8, end: 10 }],
    ["Bytes=0-1", { start: 0, end: 2 }],
    ["bytes=9-", { start: 9, end: 10 }],
    ["bytes=10-", "unsatisfiable"],
    ["bytes=10-20", "unsatisfiable"],
    ["bytes=-0", "unsatisfiable"],
    ["bytes=4-2", undefined],
    ["bytes=0-1,3-4", undefined],
    ["bytes=-", undefined],
    ["bytes=", undefined],
    ["bytes=a-b", undefined],
    ["bytes=0x0-0x1", undefined],
    ["bytes=+1-2", undefined],
    ["bytes=0-1\n", undefined],
    ["lines=0-1", undefined],
    [`bytes=${"9".repeat(400)}-`, undefined],
  ];
  for (const [header, expected] of cases) assert.deepEqual(parseRange(header, 10), expected, header);
});

test("of an empty file no part can be had", () => {
  for (const header of ["bytes=0-", "bytes=0-0", "bytes=-1"]) assert.equal(parseRange(header, 0), "unsatisfiable");
});
