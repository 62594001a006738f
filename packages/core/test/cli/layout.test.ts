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

test("numbers, booleans and null are shown as text", () => {
  assert.equal(show(42), "42\n");
  assert.equal(show(false), "false\n");
  assert.equal(show(null), "null\n");
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

test("a key that every object inherits is not a value of a row that lacks it", () => {
  assert.equal(show([{ toString: "own" }, { a: 1 }]), "toString  a\nown\n          1\n");
});

test("on a terminal the widest columns give way first", () => {
  const rows = [{ id: 1, title: "A title of some length", by: "Ada" }];
  assert.equal(show(rows, 20), "id  title        by\n1   A title of…  Ada\n");
  assert.equal(show(rows, 80), "id  title                   by\n1   A title of some length  Ada\n");
});

const id = "0192f7a4-6c1e-7c3a-9f1d-2b1a7c3e5d90";

test("an id is kept whole as long as two other columns can be read next to it", () => {
  const rows = [{ id, title: "A title of some length", by: "Ada Lovelace", at: "2026-11-17T09:30:15.123Z" }];
  assert.equal(
    show(rows, 80),
    `${pad("id")}  title          by            at\n${id}  A title of s…  Ada Lovelace  2026-11-17T0…\n`,
  );
  assert.equal(show(rows, 64), `${pad("id")}  title       by          …\n${id}  A title o…  Ada Lovel…  …\n`);
  assert.equal(show(rows, 40), "id        title     by        at\n0192f7a…  A title…  Ada Lov…  2026-11…\n");
});

function pad(text: string): string {
  return text.padEnd(id.length);
}

test("a text much longer than the terminal is cut like any other", () => {
  assert.equal(show([{ text: "0123456789".repeat(1000), id: 1 }], 20), "text              id\n012345678901234…  1\n");
});

test("emoji that take many characters for two cells are cut at the end of one, with an ellipsis", () => {
  const family = "👨\u200d👩\u200d👧\u200d👦";
  const [, line = ""] = show([{ text: family.repeat(100) }], 20).split("\n");
  assert.ok(line.startsWith(family) && line.endsWith("…"), line);
  assert.ok(line.isWellFormed(), "no half of a character");
});

test("columns that do not fit at all are left out, and an ellipsis shows it", () => {
  const row = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`column${index}`, "value"]));
  assert.equal(show([row], 20), "col…  col…  col…  …\nval…  val…  val…  …\n");
  assert.equal(show([row], 2), "col…  …\nval…  …\n");
});

test("no line of a table is wider than the terminal, whatever the data", () => {
  const rows = fc.array(
    fc.dictionary(fc.string({ unit: "grapheme", maxLength: 12 }), fc.string({ unit: "grapheme" })),
    {
      minLength: 1,
    },
  );
  fc.assert(
    fc.property(rows, fc.integer({ min: 10, max: 60 }), (list, width) => {
      const lines = show(list, width).split("\n");
      assert.equal(lines.length, list.length + 2);
      for (const line of lines) {
        assert.ok(widthOf(line) <= width, JSON.stringify(line));
        assert.doesNotMatch(line, /[\u0000-\u001f\u007f-\u009f]/);
      }
    }),
    seeded("tables that fit", { fast: 100, full: 5000 }),
  );
});

test("with colours the names stand out, and the columns stay aligned", () => {
  const colored = { ...plain, color: true };
  assert.equal(layOut([{ a: 1, long: 2 }], colored), "\u001b[1ma  long\u001b[22m\n1  2\n");
  assert.equal(layOut({ a: 1, long: "x" }, colored), "\u001b[1ma   \u001b[22m  1\n\u001b[1mlong\u001b[22m  x\n");
});
