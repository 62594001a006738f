import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { layOut } from "../../src/cli/layout.ts";
import { widthOf } from "../../src/cli/text.ts";
import { seeded } from "../support/seed.ts";

const plain = { width: Number.POSITIVE_INFINITY, color: false };
const show = (value: unknown, width: number = plain.width) => layOut(value, { ...plain, width });

test("text is shown as it is, on a line of its own", () => {
  assert.equal(show("Hello, \u001b[1mAda\u001b[0m"), "Hello, \u001b[1mAda\u001b[0m\n");
  assert.equal(show("two\nlines\n"), "two\nlines\n");
  assert.equal(show(""), "");
});

test("a list of objects is a table of all their keys, aligned", () => {
  const rows = [
    { id: 1, title: "Hello", author: { name: "Ada" } },
    { id: 20, title: "日本語", draft: true, none: null },
  ];
  assert.equal(
    show(rows),
    [
      "id  title   author          draft  none",
      '1   Hello   {"name":"Ada"}',
      "20  日本語                  true",
      "",
    ].join("\n"),
  );
});

test("a list of other values has one line for each, an empty list none", () => {
  assert.equal(show(["a", 1, null, [2]]), "a\n1\nnull\n[2]\n");
  assert.equal(show([{ a: 1 }, 2]), '{"a":1}\n2\n');
  assert.equal(show([]), "");
});

test("one object is key/value lines, aligned; a text of several lines goes on below its first", () => {
  const post = { id: "1", content: "First\n\nThird\u0007", tags: ["a"], 日本: "x", empty: null };
  assert.equal(
    show(post),
    [
      "id       1",
      "content  First",
      "         ",
      "         Third\\u0007",
      'tags     ["a"]',
      "日本     x",
      "empty",
      "",
    ].join("\n"),
  );
  assert.equal(show({}), "");
});

test("what JSON hides is hidden, and what JSON writes is written", () => {
  class User {
    readonly name = "Ada";
    readonly password = "secret";
    readonly at = new Date(0);
    toJSON() {
      return { name: this.name, at: this.at };
    }
  }
  assert.equal(show([new User()]), "name  at\nAda   1970-01-01T00:00:00.000Z\n");
  assert.equal(show(new User()), "name  Ada\nat    1970-01-01T00:00:00.000Z\n");
  assert.throws(() => show(1n), TypeError);
  assert.throws(() => show(() => 1), { message: "a value of type function cannot be written as JSON" });
});

test("control characters from data are shown, in keys too", () => {
  assert.equal(show([{ "a\u001b": "x\u001b[2J\ny" }]), "a\\u001b\nx\\u001b[2J\\ny\n");
  assert.equal(show(["\u001b[31m"]), "\\u001b[31m\n");
});

test("on a terminal the widest columns give way first", () => {
  const rows = [{ id: 1, title: "A title of some length", by: "Ada" }];
  assert.equal(show(rows, 20), "id  title        by\n1   A title of…  Ada\n");
  assert.equal(show(rows, 80), "id  title                   by\n1   A title of some length  Ada\n");
});

test("an id is kept whole, and no other column is narrower than eight characters", () => {
  const id = "0192f7a4-6c1e-7c3a-9f1d-2b1a7c3e5d90";
  const rows = [{ id, title: "A title of some length", by: "Ada Lovelace", at: "2026-11-17T09:30:15.123Z" }];
  const head = "id".padEnd(id.length);
  assert.equal(
    show(rows, 80),
    `${head}  title          by            at\n${id}  A title of s…  Ada Lovelace  2026-11-17T0…\n`,
  );
  assert.equal(show(rows, 20), `${head}  title     by        at\n${id}  A title…  Ada Lov…  2026-11…\n`);
});

test("a table of two columns fits a terminal, whatever the data", () => {
  const cell = fc.string({ unit: "grapheme" });
  fc.assert(
    fc.property(fc.array(fc.record({ first: cell, second: cell }), { minLength: 1 }), (list) => {
      const lines = show(list, 20).split("\n");
      assert.equal(lines.length, list.length + 2);
      for (const line of lines) {
        assert.ok(widthOf(line) <= 20, JSON.stringify(line));
        assert.doesNotMatch(line, /[\u0000-\u001f\u007f-\u009f]/);
      }
    }),
    seeded("tables that fit", { fast: 100, full: 5000 }),
  );
});
