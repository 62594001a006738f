import assert from "node:assert/strict";
import { test } from "node:test";
import { date, dto, type Infer, integer, literal, timestamp } from "@tenon/core";
import type { Equal, Expect } from "../support/types.ts";
import { asForm, asText, readField } from "./read.ts";

test("a date is a real day of the calendar and stays a text", () => {
  for (const day of ["2026-11-17", "2024-02-29", "2000-02-29", "0001-01-01", "9999-12-31", "2026-04-30"]) {
    assert.equal(readField(date(), day), day);
    assert.equal(readField(date(), day, asText), day);
  }
  const days =
    "2026-02-29 1900-02-29 2026-04-31 2026-13-01 2026-00-10 0000-12-31 2026-01-00 2026-1-1 26-01-01 ２026-11-17";
  for (const day of [...days.split(" "), "2026-11-17T00:00:00Z", " 2026-11-17", "2026-11-17\n", 20261117, new Date()]) {
    assert.deepEqual(readField(date(), day), ["f date"], String(day));
  }
});

test("a timestamp has an offset and becomes a Date", () => {
  for (const options of [undefined, asForm]) {
    assert.deepEqual(readField(timestamp(), "1970-01-01T01:00:00.5+01:00", options), new Date(500));
  }
  for (const value of [
    "1970-01-01T00:00:00",
    "0001-01-01T00:00:00+01:00",
    "9999-12-31T23:59:59-01:00",
    0,
    new Date(),
  ]) {
    assert.deepEqual(readField(timestamp(), value), ["f timestamp"], String(value));
  }
});

test("a whole number has one spelling in text", () => {
  for (const text of ["0", "7", "-7", "9007199254740991"]) {
    for (const options of [asText, asForm]) assert.equal(readField(integer(), text, options), Number(text));
  }
  const others = [" 1", "1 ", "\t1", ..."+1 1.0 1. 007 00 -0 -01 1e2 0x10 1_0 １ 9007199254740992".split(" ")];
  for (const text of others) {
    for (const options of [asText, asForm]) assert.deepEqual(readField(integer(), text, options), ["f integer"], text);
    assert.deepEqual(readField(literal([1, 7, 10]), text, asText), ["f oneof"], text);
  }
});

test("a literal is one of its values, not what only looks like it", () => {
  const field = literal(["a", 1, true]);
  for (const value of ["a", 1, true]) assert.equal(readField(field, value), value);
  for (const value of ["b", "1", "true", false, 2, {}, ["a"], ""]) {
    assert.deepEqual(readField(field, value), ["f oneof"], JSON.stringify(value));
  }
});

test("a literal is parsed from text", () => {
  const field = literal(["a", "2", 1, true]);
  for (const [text, value] of [
    ["a", "a"],
    ["2", "2"],
    ["1", 1],
    ["on", true],
  ] as const) {
    assert.equal(readField(field, text, asText), value);
  }
  for (const text of ["b", "false", "3"]) assert.deepEqual(readField(field, text, asText), ["f oneof"]);
});

test("an empty text may be a literal, also when it is required", () => {
  assert.equal(readField(literal(["", "a"], "required"), ""), "");
  assert.equal(readField(literal(["", "a"], "required"), "", asForm), "");
  assert.deepEqual(readField(literal(["a"], "required"), ""), ["f required"]);
});

const Scalars = dto({
  day: date("required"),
  at: timestamp(),
  one: literal(["a", 1]),
  yes: literal([true], "required"),
});
export type Checks = [Expect<Equal<Infer<typeof Scalars>, { day: string; yes: true; at?: Date; one?: "a" | 1 }>>];
