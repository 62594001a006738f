import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readBlocks } from "./support/markdown.ts";
import { PageReader } from "./support/page-reader.ts";
import { root } from "./support/run.ts";

test("the first minute of README.md goes as it shows", async () => {
  const text = readFileSync(join(root, "README.md"), "utf8");
  const end = text.slice(0, text.indexOf("```ts\n")).split("\n").length;
  const blocks = readBlocks().filter(({ document, line }) => document === "README.md" && line < end);
  assert.match(blocks[0]?.code ?? "", /^\$ npm ci\n\$ npm run tenon -- new /);
  const reader = new PageReader();
  try {
    await reader.follow(blocks);
    const page = await fetch(await reader.toReal("http://127.0.0.1:8080/docs"));
    assert.equal(page.status, 200);
    assert.match(await page.text(), /swagger/i);
  } finally {
    await reader.stop();
  }
});
