import assert from "node:assert/strict";
import { test } from "node:test";
import { array, boolean, dto, integer, string } from "@tenon/core";
import fc from "fast-check";
import { parseArgv } from "../../src/cli/argv.ts";
import { type Flag, toFlagName } from "../../src/cli/commands.ts";
import { seeded } from "../support/seed.ts";

const Fields = dto({
  limit: integer().alias("l"),
  author_id: string(),
  dryRun: boolean().alias("n"),
  force: boolean().alias("f"),
  tags: array(string()).alias("t"),
});
const declared = Object.entries(Fields.fields).map(([field, declaration]) => ({
  field,
  name: toFlagName(field),
  isSwitch: declaration.kind === "boolean",
  choices: [],
  declaration,
}));
const undeclared: readonly Flag[] = [];

function parse(argv: readonly string[], set: readonly Flag[] = declared) {
  const { words, flags, common, version, problems } = parseArgv(argv, () => set);
  return {
    words: [...words],
    flags: Object.fromEntries(flags),
    ...(common.size > 0 ? { common: [...common] } : {}),
    ...(version ? { version } : {}),
    ...(problems.length > 0 ? { problems: [...problems] } : {}),
  };
}

const spellings: readonly [argv: string, flags: Record<string, string>][] = [
  ["--limit=5", { limit: "5" }],
  ["--limit 5", { limit: "5" }],
  ["-l 5", { limit: "5" }],
  ["-l5", { limit: "5" }],
  ["-l=5", { limit: "5" }],
  ["--limit -5", { limit: "-5" }],
  ["--limit=", { limit: "" }],
  ["--limit=a=b", { limit: "a=b" }],
  ["--limit -", { limit: "-" }],
  ["--force", { force: "true" }],
  ["--force=false", { force: "false" }],
  ["--no-force", { force: "false" }],
  ["-f", { force: "true" }],
  ["-f=0", { force: "0" }],
  ["-fn", { force: "true", dryRun: "true" }],
  ["-fl5", { force: "true", limit: "5" }],
  ["-fnl 5", { force: "true", dryRun: "true", limit: "5" }],
  ["--author-id x", { author_id: "x" }],
  ["--author_id x", { author_id: "x" }],
  ["--dry-run", { dryRun: "true" }],
  ["--no-dry-run", { dryRun: "false" }],
  ["--tags a --tags b,c -t d", { tags: "a,b,c,d" }],
];
for (const [argv, expected] of spellings) {
  test(`declared flags: ${argv}`, () => {
    assert.deepEqual(parse(argv.split(" ")), { words: [], flags: expected });
  });
}

test("an undeclared flag takes the next word, and is true without one", () => {
  assert.deepEqual(parse(["a", "--limit", "5", "--force", "--no-color", "--last"], undeclared), {
    words: ["a"],
    flags: { limit: "5", force: "true", "no-color": "true", last: "true" },
  });
  assert.deepEqual(parse(["--x=1", "--x", "2", "--x", "b"], undeclared), { words: [], flags: { x: "1" } });
});

test("-- ends the flags: what follows are words", () => {
  assert.deepEqual(parse(["a", "--limit=1", "--", "--limit", "-f", "--"]), {
    words: ["a", "--limit", "-f", "--"],
    flags: { limit: "1" },
  });
  assert.deepEqual(parse(["--limit", "--", "5"]), { words: ["5"], flags: {}, problems: ["--limit needs a value"] });
});

test("a lone dash, negative numbers and the empty word are words", () => {
  assert.deepEqual(parse(["-", "-5", "-.5", ""]), { words: ["-", "-5", "-.5", ""], flags: {} });
});

test("--version and -V ask for the version only without a command", () => {
  assert.deepEqual(parse(["--version"], undeclared), { words: [], flags: {}, version: true });
  assert.deepEqual(parse(["--json", "-V"], undeclared), { words: [], flags: {}, common: ["json"], version: true });
  assert.deepEqual(parse(["publish", "--version", "2"], undeclared), { words: ["publish"], flags: { version: "2" } });
  assert.deepEqual(parse(["publish", "-V"], undeclared).problems, ["unknown flag -V"]);
});

test("whatever is typed is read back as it was meant, in every spelling and order", () => {
  const value = fc.string({ unit: "grapheme" }).filter((text) => !/^-[^0-9.]/.test(text));
  const numberFlag = fc.tuple(value, fc.constantFrom("=", " ", "l", "l=")).map(([text, form]) => {
    if (form === "=") return { tokens: [`--limit=${text}`], flags: { limit: text } };
    if (form === "l=") return { tokens: [`-l=${text}`], flags: { limit: text } };
    if (form === "l" && text !== "" && !text.startsWith("=")) return { tokens: [`-l${text}`], flags: { limit: text } };
    return { tokens: ["--limit", text], flags: { limit: text } };
  });
  const force = fc
    .constantFrom(
      ["--force", "true"],
      ["-f", "true"],
      ["--no-force", "false"],
      ["--force=false", "false"],
      ["-f=true", "true"],
    )
    .map(([token = "", text = ""]) => ({ tokens: [token], flags: { force: text } }));
  const author = value.map((text) => ({ tokens: [`--author-id=${text}`], flags: { author_id: text } }));
  const word = value.map((text) => ({ tokens: [text], word: text }));
  const some = <T>(part: fc.Arbitrary<T>) => fc.option(part, { nil: undefined });
  const typed = fc.tuple(some(numberFlag), some(force), some(author), fc.array(word)).chain(([a, b, c, words]) => {
    const parts = [a, b, c].filter((part) => part !== undefined);
    return fc.record({
      flags: fc.shuffledSubarray(parts, { minLength: parts.length }),
      words: fc.constant(words),
      places: fc.array(fc.nat(), { minLength: parts.length, maxLength: parts.length }),
      tail: fc.option(fc.array(fc.string({ unit: "grapheme" })), { nil: undefined }),
    });
  });
  fc.assert(
    fc.property(typed, ({ flags, words, places, tail }) => {
      const order: { tokens: string[] }[] = [...words];
      for (const [index, flag] of flags.entries()) order.splice((places[index] ?? 0) % (order.length + 1), 0, flag);
      const argv = [...order.flatMap(({ tokens }) => tokens), ...(tail === undefined ? [] : ["--", ...tail])];
      assert.deepEqual(parse(argv), {
        words: [...words.map(({ word }) => word), ...(tail ?? [])],
        flags: Object.assign({}, ...flags.map(({ flags }) => flags)),
      });
    }),
    seeded("argv", { fast: 500, full: 50_000 }),
  );
});
