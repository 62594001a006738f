import assert from "node:assert/strict";
import { test } from "node:test";
import { listTags, recordTags } from "../../src/schema/collections.ts";
import { numberTags, textTags } from "../../src/schema/scalars.ts";
import { parseTags, plainTags } from "../../src/schema/tags.ts";

const grammars = { string: textTags, number: numberTags, list: listTags, record: recordTags, plain: plainTags };
type FieldKind = keyof typeof grammars;

/** The messages of the rules that a value breaks. */
function issuesOf(kind: FieldKind, tag: string, value: unknown): string[] {
  return parseTags(grammars[kind], [tag]).rules.flatMap((rule) => (rule.passes(value) ? [] : [rule.message]));
}

const bounds: readonly {
  kind: FieldKind;
  tag: string;
  passes: readonly unknown[];
  fails: readonly unknown[];
  text: string;
}[] = [
  { kind: "string", tag: "min=3", passes: ["abc", "abcd"], fails: ["", "ab"], text: "must have at least 3 characters" },
  { kind: "string", tag: "max=2", passes: ["", "ab"], fails: ["abc"], text: "must have at most 2 characters" },
  { kind: "string", tag: "len=2", passes: ["ab"], fails: ["a", "abc"], text: "must have exactly 2 characters" },
  { kind: "number", tag: "min=-1", passes: [-1, 0, 5.5], fails: [-1.5], text: "must be at least -1" },
  { kind: "number", tag: "max=1.5", passes: [1.5, -3], fails: [1.6], text: "must be at most 1.5" },
  { kind: "number", tag: "max=1e3", passes: [1000], fails: [1001], text: "must be at most 1000" },
  { kind: "number", tag: "min=-2", passes: [-2, 0], fails: [-3], text: "must be at least -2" },
  { kind: "list", tag: "min=1", passes: [[0]], fails: [[]], text: "must have at least 1 item" },
  { kind: "list", tag: "max=1", passes: [[], [0]], fails: [[0, 0]], text: "must have at most 1 item" },
  { kind: "string", tag: "len=1", passes: ["a"], fails: [""], text: "must have exactly 1 character" },
  { kind: "record", tag: "max=1", passes: [{}, { a: 1 }], fails: [{ a: 1, b: 2 }], text: "must have at most 1 entry" },
  { kind: "string", tag: "pattern=^a+$", passes: ["a", "aa"], fails: ["ab", ""], text: "must match ^a+$" },
  { kind: "list", tag: "len=2", passes: [[0, 0]], fails: [[0]], text: "must have exactly 2 items" },
  { kind: "string", tag: "oneof=a b", passes: ["a", "b"], fails: ["c", "", "a b"], text: "must be one of a, b" },
  { kind: "number", tag: "oneof=1 2.5", passes: [1, 2.5], fails: [2], text: "must be one of 1, 2.5" },
];
for (const { kind, tag, passes, fails, text } of bounds) {
  test(`${tag} on a ${kind} ${text}`, () => {
    for (const value of passes) assert.deepEqual(issuesOf(kind, tag, value), [], JSON.stringify(value));
    for (const value of fails) assert.deepEqual(issuesOf(kind, tag, value), [text], JSON.stringify(value));
  });
}

test("characters are code points, not UTF-16 units", () => {
  assert.deepEqual(issuesOf("string", "min=8", "🙂🙂🙂🙂"), ["must have at least 8 characters"]);
  assert.deepEqual(issuesOf("string", "min=8", "🙂🙂🙂🙂🙂🙂🙂🙂"), []);
  assert.deepEqual(issuesOf("string", "max=2", "🙂🙂"), []);
  assert.deepEqual(issuesOf("string", "len=1", "é"), []);
});

const goodAddresses = [
  ..."a@b.co ada.lovelace@example.com user+tag@sub.example.co.uk 1@2.com ü@exämple.de 名前@例え.jp".split(" "),
  ...["x_y-z'!#$%&*/=?^`{|}~@example.org", "a@xn--exmple-cua.de", `${"l".repeat(64)}@example.com`],
  ...[`a@${"d".repeat(63)}.com`, "\u212a@example.com"], // the Kelvin sign is a letter of its own
];
const badAddresses = [
  ..."@ a@ @b.co a a@b a@localhost a@@b.co a@b@c.co .a@b.co a.@b.co a..b@c.co a@.co a@b. a@b..co".split(" "),
  ..."a@-b.co a@b-.co a@b_c.co a@[127.0.0.1] a@127.0.0.1 a(b)@c.co a,b@c.co a;b@c.co <a@b.co>".split(" "),
  ...["", "a b@c.co", "a@b c.co", " a@b.co", "a@b.co ", "a@b.co\n", '"a b"@c.co', "a@b\u2028.co"],
  ..."\u0000 \u00a0 \u200b \u202e \u3000 \ufeff".split(" ").map((character) => `a${character}@b.co`),
  ...[`${"l".repeat(65)}@example.com`, `a@${"d".repeat(64)}.com`, `a@${"d.".repeat(130)}com`],
];
test("an e-mail address has a local part, a domain with a dot, and nothing that hides in text", () => {
  for (const address of goodAddresses) assert.deepEqual(issuesOf("string", "email", address), [], address);
  for (const address of badAddresses) {
    assert.deepEqual(issuesOf("string", "email", address), ["must be an e-mail address"], JSON.stringify(address));
  }
});

test("url accepts whole http and https URLs without blanks", () => {
  for (const url of ["http://a", "https://example.com/a?b=c#d", "HTTP://EXAMPLE.com:8080", "https://[::1]/"]) {
    assert.deepEqual(issuesOf("string", "url", url), [], url);
  }
  const others = "example.com //example.com /a http:example.com ftp://a javascript:alert(1) http:// http://a:99999";
  for (const url of ["", " http://a", "http://a\n", "http://a b", "http:\\\\a", ...others.split(" ")]) {
    assert.deepEqual(issuesOf("string", "url", url), ["must be an http or https URL"], JSON.stringify(url));
  }
});

test("uuid accepts any version, in either case, with nothing around it", () => {
  for (const uuid of ["123e4567-e89b-42d3-a456-426614174000", "123E4567-E89B-42D3-A456-426614174000"]) {
    assert.deepEqual(issuesOf("string", "uuid", uuid), []);
    for (const other of [`${uuid} `, `{${uuid}}`, uuid.slice(1), uuid.replaceAll("-", ""), `${uuid}\n`]) {
      assert.deepEqual(issuesOf("string", "uuid", other), ["must be a UUID"], other);
    }
  }
});

test("decimal accepts one spelling for each number, with its digits", () => {
  for (const text of ["0", "0.00", "7", "-7", "12.50", "-0.01", "-0.10", "9007199254740993.000000000000000001"]) {
    assert.deepEqual(issuesOf("string", "decimal", text), [], text);
  }
  for (const text of ["", "-0", "-0.0", "+1", "01", "-01", ".5", "1.", "1e3", "0x1", "1,5", " 1", "1\n", "１", "NaN"]) {
    assert.deepEqual(issuesOf("string", "decimal", text), ["must be a decimal number such as 12.50"], text);
  }
});

test("a misspelt tag throws where the DTO is defined, because it would check nothing", () => {
  for (const [kind, tag] of [
    ["string", "requird"],
    ["number", "email"],
    ["list", "oneof=a"],
    ["plain", "constructor"],
  ] as const) {
    const message = new RegExp(`^"${tag}" is not a rule for this field\\. Rules: required, nullable`);
    assert.throws(() => parseTags(grammars[kind], [tag]), { name: "TypeError", message });
  }
});

test("a required field has no default", () => {
  assert.throws(() => parseTags(textTags, ["required", "default=a"]), TypeError);
  for (const tag of ["pattern=", "max=NaN", "min=x"]) assert.throws(() => parseTags(textTags, [tag]), TypeError);
});
