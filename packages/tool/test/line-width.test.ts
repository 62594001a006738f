import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root, runOrFail, tool } from "../../../test/support/run.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { createFiles } from "../src/files.ts";
import { fitLines } from "../src/line-width.ts";
import { toModuleNames, toReplacements } from "../src/names.ts";
import { moduleTypes, readTemplate } from "../src/templates.ts";

const wide = "w".repeat(60);

/** Before and after, with `w` for a name that makes the line too wide. */
const forms: readonly [name: string, before: string, after: string][] = [
  ["a list", "  a: [w, w],", "  a: [\n    w,\n    w,\n  ],"],
  ["an import of several names", 'import { w, b } from "w";', 'import {\n  w,\n  b,\n} from "w";'],
  ["the last brackets", "const { a } = call(w, b(w));", "const { a } = call(\n  w,\n  b(w),\n);"],
  ["brackets inside brackets", "f(w, g(w, w));", "f(\n  w,\n  g(\n    w,\n    w,\n  ),\n);"],
  ["an object as the last argument", "  f(w, { a: w, b: [c, d] });", "  f(w, {\n    a: w,\n    b: [c, d],\n  });"],
  ["two lists as arguments", "f([w], [w]);", "f(\n  [w],\n  [w],\n);"],
  ["parameters", "  f(a: w, b: c): Promise<w> {", "  f(\n    a: w,\n    b: c,\n  ): Promise<w> {"],
  ["a chain", '  return a.b("w").c().d(w);', '  return a\n    .b("w")\n    .c()\n    .d(w);'],
  ["a type argument", "export type w = Infer<typeof w>;", "export type w = Infer<\n  typeof w\n>;"],
];

for (const [name, before, after] of forms) {
  test(`breaks ${name}`, () => {
    const widen = (text: string) => text.replaceAll(/\bw\b/g, wide);
    assert.equal(fitLines(widen(before)), widen(after));
    assert.equal(fitLines(before), before);
  });
}

test("leaves alone what a formatter leaves alone, and what it cannot break", () => {
  for (const line of [
    `import { ${wide} } from "./${wide}.ts";`,
    `const a = "${wide}${wide}";`,
    `const a = (${wide} + ${wide}) * 2;`,
    `  const unclosed = \`${wide}${wide}`,
  ]) {
    assert.equal(fitLines(line), line);
  }
});

test("what is generated is as the formatter would have it, for names of every length", async () => {
  const folder = temporaryFolder("widths");
  const inOneWord = Array.from({ length: 60 }, (_, index) => `a${"q".repeat(index)}`);
  const inMany = Array.from({ length: 15 }, (_, index) => `${"of-".repeat(index + 5)}x`);
  for (const name of [...inOneWord, ...inMany]) {
    const types = name.length % 10 === 0 ? moduleTypes : (["resource"] as const);
    for (const type of types) {
      const target = join(folder, `${type}-${name}`);
      mkdirSync(target);
      const files = readTemplate(`module-${type}`, toReplacements(toModuleNames(name)));
      assert.ok([...createFiles(target, files)].length > 5);
    }
  }
  const { formatter } = JSON.parse(readFileSync(join(root, "biome.json"), "utf8")) as { formatter: object }; // biome reads it too
  writeFileSync(join(folder, "biome.json"), `${JSON.stringify({ formatter }, undefined, 2)}\n`);
  await runOrFail(tool("biome"), ["format", "."], { cwd: folder });
});
