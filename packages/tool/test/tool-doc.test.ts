import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Dto } from "@tenon/core";
import { cli } from "@tenon/core/cli";
import { createTestApp } from "@tenon/core/testing";
import { root } from "../../../test/support/run.ts";
import { program } from "../src/program.ts";
import { ToolModule } from "../src/tool.module.ts";

const page = readFileSync(join(root, "docs/tool.md"), "utf8");
const app = await createTestApp(ToolModule, cli(program));
const commands = app.routes.list();
await app.stop();

test("docs/tool.md and docs/generators.md name every command", () => {
  const names = commands.map(({ path }) =>
    path
      .replaceAll(/\/(?::\w+|\*)/g, "")
      .replaceAll("/", " ")
      .trim(),
  );
  const pages = page + readFileSync(join(root, "docs/generators.md"), "utf8");
  const missing = names.filter((name) => !pages.includes(`tenon ${name}`));
  assert.deepEqual(missing, []);
});

test("docs/tool.md lists the flags that exist, and no others", () => {
  const section = page.slice(page.indexOf("\n## Flags\n"));
  const listed = new Set([...section.matchAll(/`--([\w-]+)`/g)].map(([, name]) => name));
  const declared = commands.flatMap(({ contract }) =>
    contract?.query instanceof Dto ? Object.keys(contract.query.fields) : [],
  );
  const existing = new Set([...declared.map((name) => name.replaceAll("_", "-")), "json", "stdin"]);
  assert.deepEqual([...listed.symmetricDifference(existing)], []);
});
