import assert from "node:assert/strict";
import { test } from "node:test";
import type { Issue } from "@tenon/core";
import { plainNames, secretNames } from "../../../core/test/support/secret-names.ts";
import { type FormValues, toOldForm as toOldFormWithin } from "../../src/sessions/page-state.ts";

const limit = 64 * 1024;
const toOldForm = (values: FormValues, issues: readonly Issue[]) => toOldFormWithin(values, issues, limit);

test("typed values are kept unchanged, lists as lists", () => {
  const { old, issues } = toOldForm({ title: "ä €", tags: ["a", "b"], empty: "" }, [
    { path: "title", rule: "min", message: "is too short" },
  ]);
  assert.deepEqual({ ...old }, { title: "ä €", tags: ["a", "b"], empty: "" });
  assert.deepEqual(issues, [{ path: "title", rule: "min", message: "is too short" }]);
});

test("no field that may hold a secret is kept, however its name is spelled", () => {
  const { old } = toOldForm(
    Object.fromEntries([...secretNames, "code", ...plainNames].map((name) => [name, "hunter2"])),
    [],
  );
  assert.deepEqual(Object.keys(old).sort(), [...plainNames].sort());
});

test("a message that quotes a secret is replaced, other messages stay", () => {
  const { issues } = toOldForm({ password: ["hunter2", "abc"], name: "hunter" }, [
    { path: "password", rule: "schema", message: 'expected 12 characters, got "hunter2"' },
    { path: "name", rule: "schema", message: "hunter2 is your password" },
    { path: "name", rule: "schema", message: "hunter is taken" },
    { path: "password", rule: "min", message: "abc is too short" },
  ]);
  assert.deepEqual(
    issues.map(({ message }) => message),
    ["is not valid", "is not valid", "hunter is taken", "abc is too short"],
  );
});

test("over 64 KiB the largest fields are dropped first", () => {
  const values = { huge: "h".repeat(50_000), large: ["l".repeat(20_000), "l".repeat(20_000)], small: "s", tiny: "" };
  const { old } = toOldForm(values, []);
  assert.deepEqual(Object.keys(old).sort(), ["large", "small", "tiny"]);
  assert.ok(Buffer.byteLength(JSON.stringify(old)) <= limit);
});

test("the limit counts bytes, of fields and issues together", () => {
  for (const character of ["a", "€", "\u0000", "😀", '"']) {
    const fields = Object.fromEntries(
      Array.from({ length: 1000 }, (_, index) => [`field ${index}`, character.repeat(100)]),
    );
    const issues = Array.from({ length: 1000 }, (_, index) => ({
      path: `field ${index}`,
      rule: "max",
      message: character.repeat(100),
    }));
    const kept = toOldForm(fields, issues);
    assert.ok(Buffer.byteLength(JSON.stringify(kept)) <= limit + 100, character); // its own three names besides
    assert.ok(Object.keys(kept.old).length > 50, character);
    assert.ok(kept.issues.length > 10, character);
  }
});

test("under a small limit, issues take at most half of it", () => {
  const issues = Array.from({ length: 100 }, (_, index) => ({
    path: `${index}`,
    rule: "max",
    message: "m".repeat(60),
  }));
  const kept = toOldFormWithin({ title: "t".repeat(1500), body: "b".repeat(4096) }, issues, 4096);
  assert.deepEqual(Object.keys(kept.old), ["title"]);
  assert.ok(kept.issues.length > 15 && Buffer.byteLength(JSON.stringify(kept.issues)) <= 2100);
});

test("a single field over the limit is dropped, and so is an issue", () => {
  const kept = toOldForm({ body: "b".repeat(limit) }, [{ path: "body", rule: "max", message: "m".repeat(limit) }]);
  assert.deepEqual([Object.keys(kept.old), kept.issues], [[], []]);
});

test("a field called __proto__ is kept like any other", () => {
  const values = JSON.parse('{ "__proto__": "typed", "constructor": "too" }') as Record<string, string>; // as a form gives it
  const { old } = toOldForm(values, []);
  assert.deepEqual(Object.entries(old).sort(), [
    ["__proto__", "typed"],
    ["constructor", "too"],
  ]);
  assert.equal(Object.getPrototypeOf(old), null);
});

test("a field with the value null is kept as an empty one", () => {
  const values = JSON.parse('{ "title": null, "password": null }') as Record<string, string>; // as a client may send it
  const { old, issues } = toOldForm(values, [{ path: "title", rule: "required", message: "is required" }]);
  assert.deepEqual({ ...old }, { title: "" });
  assert.deepEqual(issues, [{ path: "title", rule: "required", message: "is required" }]);
});

test("other properties of an issue are not kept", () => {
  const issue = { path: "a", rule: "schema", message: "no", input: "hunter2" };
  assert.deepEqual(toOldForm({}, [issue]).issues, [{ path: "a", rule: "schema", message: "no" }]);
});
