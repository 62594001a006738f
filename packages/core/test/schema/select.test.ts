import assert from "node:assert/strict";
import { test } from "node:test";
import {
  array,
  boolean,
  date,
  dto,
  file,
  integer,
  json,
  literal,
  nested,
  record,
  type Schema,
  string,
  timestamp,
  union,
} from "@tenon/core";
import * as z from "zod";
import { compileSelect } from "../../src/schema/select.ts";

const User = dto("User", { name: string("required"), note: string("nullable"), at: timestamp() });
const user = { name: "Ada", password: "hunter2" };

const select = (schema: Schema, value: unknown): unknown => compileSelect(schema)(value);

test("only declared fields leave, at any depth", () => {
  const Page = dto({
    users: array(User),
    byName: record(User),
    first: nested(User),
    shape: union("kind", { a: User, b: dto({}) }),
  });
  const shape = { kind: "a", ...user };
  const value = { users: [user, user], byName: { ada: user }, first: user, shape, password: "hunter2" };
  const name = { name: "Ada" };
  const expected = { users: [name, name], byName: { ada: name }, first: name, shape: { kind: "a", ...name } };
  assert.deepEqual(select(Page, value), expected);
  assert.deepEqual(select(array(User), [user]), [name]);
});

test("an object or a list with nothing to leave out is sent as it is, not copied", () => {
  const Page = dto({
    title: string(),
    first: nested(User, "nullable"),
    users: array(User),
    at: timestamp(),
    any: json(),
  });
  const whole = { name: "Ada", note: null, at: new Date() };
  for (const value of [
    { title: "a", first: whole, users: [whole, { name: "Eve" }], at: "1970-01-01T00:00:00Z", any: { a: 1 } },
    { title: "", first: null, users: [] },
    { users: [whole] },
    {},
  ]) {
    assert.equal(select(Page, value), value);
  }
  const list = [whole, null, whole];
  assert.equal(select(array(User), list), list);
});

test("an object is copied when one of its fields is not sent as it is", () => {
  const Page = dto({ title: string(), users: array(User), first: nested(User), tags: record(string()) });
  const cases: readonly [value: object, sent: object][] = [
    [
      { title: "a", users: [user] },
      { title: "a", users: [{ name: "Ada" }] },
    ],
    [
      { first: user, title: "a" },
      { title: "a", first: { name: "Ada" } },
    ],
    [{ title: null, users: null }, {}],
    [{ title: undefined }, {}],
    [{ title: "a", users: "hunter2", first: "hunter2", tags: true }, { title: "a" }],
    [{ title: "a", toJSON: () => user }, { title: "a" }],
    [Object.assign(Object.create({ title: "a" }), { tags: { a: "b" } }), { title: "a", tags: { a: "b" } }],
    [Object.assign(Object.create(null), { title: "a" }), { title: "a" }],
  ];
  for (const [value, sent] of cases) {
    const selected = select(Page, value);
    assert.notEqual(selected, value);
    assert.deepEqual(selected, sent);
    assert.deepEqual(Object.keys(selected as object), Object.keys(sent)); // in the order of the declaration
  }
});

test("getters and inherited properties are read, as with any property access", () => {
  class Account {
    readonly password = "hunter2";
    get name() {
      return "Ada";
    }
    toJSON() {
      return { name: "Eve", password: this.password };
    }
  }
  assert.deepEqual(select(User, new Account()), { name: "Ada" });
  assert.deepEqual(select(User, Object.create({ name: "Ada" })), { name: "Ada" });
});

test("null leaves where a field is nullable and is left out elsewhere", () => {
  assert.deepEqual(select(User, { name: null, note: null, at: null }), { note: null });
  assert.deepEqual(select(User, { name: undefined, note: undefined }), {});
  assert.deepEqual(select(record(integer()), { a: null, b: undefined, c: 1 }), { c: 1 });
  assert.deepEqual(select(record(integer("nullable")), { a: null, b: undefined }), { a: null });
  assert.deepEqual(select(array(integer()), [1, null, undefined]), [1, null, null]);
});

const scalars = [string(), integer(), boolean(), date(), literal(["a"]), timestamp()];
const shapes: readonly [title: string, value: unknown][] = [
  ["an object", { password: "hunter2" }],
  ["a list", ["hunter2"]],
  ["an object with toJSON", { toJSON: () => "hunter2" }],
  ["a function with toJSON", Object.assign(() => 1, { toJSON: () => "hunter2" })],
  ["a boxed string", Object("hunter2")],
];
for (const [title, value] of shapes) {
  test(`${title} does not leave where a scalar is declared`, () => {
    for (const field of scalars) {
      assert.deepEqual(select(dto({ f: field }), { f: value }), {}, field.kind);
      assert.deepEqual(select(array(field), [value]), [null], field.kind);
      assert.deepEqual(select(record(field), { a: value }), {}, field.kind);
      assert.equal(select(field, value), null, field.kind);
    }
  });
}

test("a Date leaves where a timestamp is declared, and nowhere else", () => {
  const now = new Date();
  assert.equal(select(timestamp(), now), now);
  assert.equal(select(timestamp(), "1970-01-01T00:00:00Z"), "1970-01-01T00:00:00Z");
  for (const field of [string(), date(), integer()]) assert.equal(select(field, now), null);
  assert.equal(select(timestamp(), new Date(Number.NaN)), null);
  assert.equal(select(timestamp(), new Date(8.64e15)), null);
});

test("a scalar or a list does not leave where an object is declared, nor an object where a list is", () => {
  for (const value of ["hunter2", 1, true, ["hunter2"], () => "hunter2"]) {
    for (const field of [nested(User), record(string()), union("kind", { a: User })]) {
      assert.equal(select(field, value), null);
    }
  }
  for (const value of ["hunter2", { 0: "hunter2", length: 1 }, new Set(["hunter2"])]) {
    assert.equal(select(array(string()), value), null);
  }
});

test("a union without a known tag does not leave", () => {
  const field = union("kind", { a: User });
  for (const kind of [undefined, "b", "constructor", 1, ["a"]]) assert.equal(select(field, { ...user, kind }), null);
});

test("__proto__ does not leave with a record", () => {
  const value = select(record(json()), JSON.parse('{"__proto__":{"x":1},"a":1}'));
  assert.deepEqual(value, { a: 1 });
  assert.equal(Object.getPrototypeOf(value), Object.prototype);
});

test("json leaves as it is, but a function does not", () => {
  const value = { a: [1, { b: null }] };
  assert.equal(select(json(), value), value);
  assert.equal(
    select(json(), () => 1),
    null,
  );
});

test("a file cannot be returned", () => {
  assert.throws(() => compileSelect(dto({ avatar: file() })), {
    name: "TypeError",
    message: "a file() can be received, but not returned. Declare the response without it.",
  });
});

test("a schema of another library selects by validating", () => {
  assert.deepEqual(select(z.object({ name: z.string() }), user), { name: "Ada" });
  assert.throws(() => select(z.object({ name: z.object({ a: z.int() }) }), { name: { a: "x" } }), {
    name: "InvalidResult",
    message: /^the value does not match its schema: name\.a: /,
  });
  assert.throws(() => select(z.string(), 1), { message: /^the value does not match its schema: Invalid input/ });
});
