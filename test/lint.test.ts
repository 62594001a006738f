import assert from "node:assert/strict";
import { cpSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root, run, tool } from "./support/run.ts";
import { temporaryFolder, writeFiles } from "./support/temporary-folder.ts";

interface Rule {
  readonly name: string;
  /** What Biome calls it. */
  readonly category: string;
  /** Each file breaks the rule. */
  readonly bad: Readonly<Record<string, string>>;
  /** No file does. */
  readonly good: Readonly<Record<string, string>>;
}

const core = "packages/core/src";
const restricted = "lint/style/noRestrictedImports";
const take = (from: string) => `import { it } from "${from}";\nexport const taken = it;\n`;
const keep = (expression: string) => `export const kept = ${expression};\n`;

/** Our own: the plugins, and which part imports which. Biome tests the others. */
const rules: readonly Rule[] = [
  {
    name: "core imports no other package of Tenon",
    category: restricted,
    bad: {
      [`${core}/http/web.ts`]: take("@tenon/web"),
      [`${core}/request/web.ts`]: take("@tenon/web"),
      [`${core}/app/web.ts`]: take("@tenon/web"),
      [`${core}/body/web.ts`]: take("@tenon/web"),
      [`${core}/testing/web.ts`]: keep('await import("@tenon/web")'),
    },
    good: { "packages/web/src/good.ts": take("@tenon/core") },
  },
  {
    name: "no code is made from text and no number can be guessed",
    category: "plugin",
    bad: {
      [`${core}/new-function.ts`]: keep('new Function("return 1")'),
      [`${core}/global-function.ts`]: keep('new globalThis.Function("return 1")'),
      [`${core}/function.ts`]: keep('Function("return 1")'),
      [`${core}/random.ts`]: keep("Math.random()"),
      [`${core}/random-passed.ts`]: keep("[1, 2].sort(Math.random)"),
      "apps/hello/src/random.ts": keep("Math.random()"),
    },
    good: { [`${core}/max.ts`]: keep("Math.max(1, 2)") },
  },
  {
    name: "the environment is not read in another way either",
    category: "plugin",
    bad: {
      [`${core}/imported-env.ts`]: 'export { env } from "node:process";\n',
      [`${core}/taken-env.ts`]: "const { env } = process;\nexport { env };\n",
      [`${core}/renamed-process.ts`]: "const itself = process;\nexport { itself };\n",
    },
    good: { [`${core}/pid.ts`]: keep("process.pid") },
  },
  {
    name: "core touches node:http nowhere: the server is a package of its own",
    category: "plugin",
    bad: {
      [`${core}/app/server.ts`]: 'import type { Server } from "node:http";\nexport type It = Server;\n',
      [`${core}/testing/server.ts`]: keep('await import("node:https")'),
      [`${core}/middleware/server.ts`]:
        'import { STATUS_CODES } from "node:http";\nexport const codes = STATUS_CODES;\n',
    },
    good: { "packages/server/src/node.ts": keep('await import("node:http")') },
  },
];

/** One run over everything: the categories that Biome reports, by file. */
async function lint(): Promise<ReadonlyMap<string, readonly string[]>> {
  const folder = temporaryFolder("lint");
  for (const name of ["biome.json", ".gitignore", "scripts/lint"]) {
    cpSync(join(root, name), join(folder, name), { recursive: true });
  }
  for (const { bad, good } of rules) writeFiles(folder, { ...bad, ...good });
  const { stdout } = await run(tool("biome"), ["lint", "--reporter=json", "--max-diagnostics=none", "."], {
    cwd: folder,
  });
  // the form of Biome's report, pinned with its version
  const { diagnostics } = JSON.parse(stdout) as {
    diagnostics: readonly { category: string; severity: string; location: { path: string } }[];
  };
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  const byFile = Map.groupBy(errors, ({ location }) => location.path);
  return new Map([...byFile].map(([file, list]) => [file, list.map(({ category }) => category)]));
}

const report = lint();
report.catch(() => {});

for (const { name, category, bad, good } of rules) {
  test(`lint: ${name}`, async () => {
    const found = await report;
    for (const file of Object.keys(bad)) {
      assert.ok(found.get(file)?.includes(category), `${file} breaks the rule and passes:\n${bad[file]}`);
    }
    for (const file of Object.keys(good)) {
      assert.deepEqual(found.get(file) ?? [], [], `${file} keeps the rule and fails:\n${good[file]}`);
    }
  });
}

test("comments and messages name their subject, and say `is not a`", () => {
  const stilted = /\/\*\* Of |(?<!\bthere )\bis no (?!longer\b)[a-z]/i;
  const files = globSync(["packages/*/src/**/*.ts", "apps/*/src/**/*.ts"], { cwd: root });
  assert.ok(files.length > 100);
  const found = files.flatMap((file) => {
    const lines = readFileSync(join(root, file), "utf8").split("\n");
    return lines.flatMap((line, index) => (stilted.test(line) ? `${file}:${index + 1}: ${line.trim()}` : []));
  });
  assert.deepEqual(found, []);
});
