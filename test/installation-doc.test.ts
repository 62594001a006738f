import assert from "node:assert/strict";
import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { whileListening } from "./support/listening.ts";
import { readBlocks } from "./support/markdown.ts";
import { oneChecker, root, runOrFail, tool } from "./support/run.ts";
import { temporaryFolder, writeFiles } from "./support/temporary-folder.ts";

const blocks = readBlocks().filter(({ document }) => document === "docs/installation.md");

test("the files of docs/installation.md make a project that compiles, starts and responds", async () => {
  const [manifest, settings] = blocks.filter(({ info }) => info === "json").map(({ code }) => code);
  const entry = blocks.find(({ info }) => info === "ts")?.code ?? "";
  assert.match(entry, /^\/\/ src\/main\.ts\n/);
  assert.ok(manifest !== undefined && settings !== undefined);
  const { scripts } = JSON.parse(manifest) as { scripts: Record<string, string> }; // npm would refuse others

  const folder = temporaryFolder("installation-doc");
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  writeFiles(folder, {
    "package.json": manifest,
    "tsconfig.json": settings,
    "src/main.ts": entry.replace("port: 8080", "port: 0"),
    "test/none.test.ts": "export {};\n",
  });
  // the packages of a checkout are not built, and their source compiles with its own settings
  const fromSource = ["--customConditions", "@tenon/source", "--exactOptionalPropertyTypes"];
  await runOrFail(tool("tsc"), ["-p", ".", ...fromSource, ...oneChecker], { cwd: folder });

  const calls = blocks.flatMap(({ code }) => [...code.matchAll(/^\$ curl http:\/\/127\.0\.0\.1:8080(\S+)\n(.+)$/gm)]);
  assert.ok(calls.length > 0);
  const [node, ...args] = scripts.start?.split(" ") ?? [];
  assert.equal(node, "node");
  await whileListening({ folder, args }, async (url) => {
    for (const [, path, body] of calls) assert.equal(await (await fetch(`${url}${path}`)).text(), body);
  });
});

test("docs/installation.md names every subpath of @tenon/core", () => {
  const manifest = readFileSync(join(root, "packages/core/package.json"), "utf8");
  const { exports } = JSON.parse(manifest) as { exports: Record<string, unknown> }; // npm refuses others
  const text = readFileSync(join(root, "docs/installation.md"), "utf8");
  const paths = Object.keys(exports).filter((path) => path !== "./package.json");
  assert.deepEqual(
    paths.filter((path) => !text.includes(`\`@tenon/core${path.slice(1)}\``)),
    [],
  );
});
