import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { test } from "node:test";

const page = readFileSync("docs/architecture.md", "utf8");

/** By path: its line of the page and the indented ones below it. */
function entriesOf(text: string): Map<string, string> {
  const entries = new Map<string, string>();
  let current = "";
  for (const line of text.split("\n")) {
    const start = /^(src\/\S*)\s+(.*)$/.exec(line);
    if (start !== null) current = start[1] ?? "";
    if (current !== "" && (start !== null || line.startsWith("   "))) {
      entries.set(current, `${entries.get(current) ?? ""} ${line.trim()}`);
    } else current = "";
  }
  return entries;
}

for (const source of globSync("packages/*/src")) {
  const owner = basename(dirname(source));
  test(`docs/architecture.md names every folder and file of ${owner}`, () => {
    const section = page.split(/^## /m).find((part) => part.startsWith(`Files of ${owner}\n`));
    assert.ok(section, `there is no section "Files of ${owner}"`);
    const entries = entriesOf(section);
    for (const file of globSync("**/*.ts", { cwd: source })) {
      const name = basename(file, ".ts");
      const folder = dirname(file);
      const entry = folder === "." ? [...entries.values()].join(" ") : entries.get(`src/${folder}/`);
      assert.ok(entry !== undefined, `src/${folder}/ is not on the page`);
      const named = new RegExp(`(?<![\\w-])${name}(?![\\w-])`);
      assert.ok(name === "index" || named.test(entry), `src/${file} is not named in its entry`);
    }
    for (const entry of entries.keys()) {
      const found = globSync(entry.endsWith("/") ? `${entry}*.ts` : entry, { cwd: dirname(source) });
      assert.ok(found.length > 0, `the page names ${entry}, which is not there`);
    }
  });
}
