import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "./support/run.ts";

const page = readFileSync(join(root, "docs/account-advisories.md"), "utf8");

interface Lesson {
  readonly title: string;
  readonly text: string;
  readonly tests: readonly { readonly file: string; readonly title: string }[];
}

const lessons: readonly Lesson[] = page
  .split(/^## /m)
  .slice(1)
  .map((text) => ({
    title: text.slice(0, text.indexOf("\n")),
    text,
    tests: [...text.matchAll(/^- `([^`]+)`: (.+)$/gm)].map(([, file = "", title = ""]) => ({ file, title })),
  }));

/** Whether a call in the source has this title, which may end with the store of a loop: ` (${adapter.name})`. */
function hasTest(source: string, title: string): boolean {
  return ['"', "`"].some((quote) =>
    [quote, " (${"].some((end) =>
      new RegExp(`\\(\\s*${quote}${RegExp.escape(title)}${RegExp.escape(end)}`).test(source),
    ),
  );
}

function identifiersIn(text: string): string[] {
  return text.match(/CVE-\d+-\d+|GHSA(?:-[0-9a-z]{4}){3}/g) ?? [];
}

test("each lesson of docs/account-advisories.md says what went wrong, why not here, and names its tests", () => {
  assert.ok(lessons.length >= 15, `${lessons.length} lessons`);
  for (const { title, text, tests } of lessons) {
    assert.match(text, /^\*\*Elsewhere:\*\* .{40,}$/m, title);
    assert.match(text, /^\*\*Here:\*\* .{40,}$/m, title);
    assert.ok(tests.length > 0, `"${title}" has no test`);
  }
});

test("each test that docs/account-advisories.md names exists, and its identifiers are those of the lesson", () => {
  for (const { title, text, tests } of lessons) {
    const known = identifiersIn(text.replaceAll(/^- .*$/gm, ""));
    for (const named of tests) {
      const source = readFileSync(join(root, named.file), "utf8");
      assert.ok(hasTest(source, named.title), `${named.file} has no test "${named.title}"`);
      for (const id of identifiersIn(named.title)) assert.ok(known.includes(id), `"${title}" does not tell of ${id}`);
    }
  }
});

test("each advisory test of accounts is on docs/account-advisories.md", () => {
  const named = lessons.flatMap(({ tests }) => tests);
  for (const file of globSync("packages/accounts/test/advisories/*.test.ts", { cwd: root })) {
    const source = readFileSync(join(root, file), "utf8");
    const titles = [...source.matchAll(/^test\(\s*"([^"]+)"/gm)].map(([, title]) => title);
    assert.ok(titles.length > 0, file);
    for (const title of titles)
      assert.ok(
        named.some((one) => one.file === file && one.title === title),
        `${file}: ${title}`,
      );
  }
});
