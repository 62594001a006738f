import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { groups } from "../site/sidebar.ts";
import { root } from "./support/run.ts";

const read = (path: string) => readFileSync(join(root, `docs/${path}.md`), "utf8");

test("docs/README.md lists the pages in the groups and in the order of the sidebar", () => {
  const sections = read("README").split(/^## /m).slice(1);
  const listed = sections.map((section) => ({
    text: section.slice(0, section.indexOf("\n")),
    pages: [...section.matchAll(/\]\((?!\.\.)([^)#]+)\.md\)/g)].map(([, path]) => path),
  }));
  assert.deepEqual(
    listed,
    groups.map(({ text, pages }) => ({ text, pages: pages.map(([, path]) => path) })),
  );
});

/** A list of questions, steps, two pages about the whole of Tenon, and a list of advisories. */
const withoutExample = ["faq", "tutorial", "architecture", "reliability-report", "account-advisories"];

describe("a page begins with what it is for and an example", () => {
  for (const [, path] of groups.flatMap(({ pages }) => pages).filter(([, page]) => !withoutExample.includes(page))) {
    test(`docs/${path}.md`, () => {
      const [lead = ""] = read(path).split(/^## /m);
      assert.match(lead, /^# .+\n\n(?!```|[|#>-]).+\n/, "the title, then a paragraph");
      const fences = [...lead.matchAll(/^```(\w+)\n/gm)].map(([, language]) => language);
      assert.ok(
        fences.some((language) => language !== "sh"), // an installation is not an example
        "an example before the first heading",
      );
    });
  }
});
