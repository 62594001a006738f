import assert from "node:assert/strict";
import { test } from "node:test";
import { dto, json, record, string } from "@tenon/core";
import { findResultIssues } from "../../src/schema/dto.ts";
import { compileSelect } from "../../src/schema/select.ts";
import { asForm, asText, read, readField } from "./read.ts";

test("json holds any JSON value", () => {
  for (const value of [null, "", "a", 0, -1.5, true, false, [], {}, [null, 1, ["a"]], { a: { b: null } }]) {
    for (const field of [json(), json("required"), json("nullable")]) assert.deepEqual(readField(field, value), value);
  }
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY, 1n, () => 1, Symbol("a")]) {
    assert.deepEqual(readField(json(), value), ["f json"], String(value));
  }
  assert.deepEqual(readField(json(), { a: [undefined] }), ["f.a.0 json"]);
});

test("json is sent with null, which is one of its values", () => {
  const select = compileSelect(dto({ a: json(), b: json("required"), c: record(json()), d: string() }));
  assert.deepEqual(select({ a: null, b: null, c: { e: null }, d: null }), { a: null, b: null, c: { e: null } });
  assert.deepEqual(findResultIssues(dto({ a: json("required") }), { a: null }), []);
  assert.deepEqual(read(dto({ a: json("required") }), {}), ["a required"]);
});

test("json has no __proto__ keys and no text that a store cannot keep", () => {
  const input = JSON.parse('{"__proto__":{"x":1},"a":[{"__proto__":1,"b":2}]}');
  assert.deepEqual(readField(json(), input), { a: [{ b: 2 }] });
  assert.ok(Object.hasOwn(input, "__proto__"), "the input is not changed");
  assert.deepEqual(readField(json(), { a: ["x\0"], "k\0": 1 }), ["f.a.0 text", "f.k\0 text"]);
  assert.equal((readField(json(), Array(1000).fill("\0")) as string[]).length, 100); // issues, see readField
});

test("json is parsed from text", () => {
  assert.deepEqual(readField(json(), '{"a":[1]}', asText), { a: [1] });
  assert.equal(readField(json(), "7", asForm), 7);
  assert.equal(readField(json(), "", asForm), undefined);
  for (const field of [json(), json("required"), json("nullable")])
    assert.equal(readField(field, "null", asText), null);
  assert.deepEqual(readField(json("required"), "", asForm), ["f required"]);
  for (const text of ["{", "hunter2"]) assert.deepEqual(readField(json(), text, asText), ["f json"]);
  assert.deepEqual(readField(json("nullable"), "x", asText), ["f json"]);
  assert.deepEqual(readField(json("required"), "", asText), ["f required"]);
});

test("json is at most 64 levels deep", () => {
  const deep = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
  assert.ok(Array.isArray(readField(json(), deep(64), asText)));
  const [issue] = readField(json(), deep(65), asText) as string[]; // issues, see readField
  assert.match(String(issue), /^f(\.0){64} json$/);
  assert.equal((readField(json(), deep(100_000), asText) as string[]).length, 1); // as above
});
