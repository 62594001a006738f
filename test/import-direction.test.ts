import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join, normalize, sep } from "node:path";
import { test } from "node:test";

type Graph = ReadonlyMap<string, ReadonlySet<string>>;

const importedPath = /(?:from|import)\s*\(?\s*"(\.[^"]+\.ts)"/g;

/** By file: the files that it imports, types included. */
function readImports(source: string): Graph {
  const files = globSync("**/*.ts", { cwd: source });
  return new Map(
    files.map((file) => {
      const text = readFileSync(join(source, file), "utf8");
      const paths = text.matchAll(importedPath).map(([, path = ""]) => normalize(join(dirname(file), path)));
      return [file, new Set(paths)];
    }),
  );
}

/** A file at the root is a part of its own, a folder is one part. Index files import everything and are left out. */
function toParts(files: Graph): Graph {
  const partOf = (file: string) => file.split(sep)[0] ?? file;
  const parts = new Map<string, Set<string>>();
  for (const [file, imported] of files) {
    if (/(?:^|-)index\.ts$/.test(basename(file))) continue;
    const part = parts.get(partOf(file)) ?? new Set();
    parts.set(partOf(file), part);
    for (const other of imported) if (partOf(other) !== partOf(file)) part.add(partOf(other));
  }
  return parts;
}

/** One cycle as a chain of names, or undefined. */
function findCycle(graph: Graph): string | undefined {
  const done = new Set<string>();
  const visit = (name: string, chain: readonly string[]): string | undefined => {
    const start = chain.indexOf(name);
    if (start >= 0) return [...chain.slice(start), name].join(" → ");
    if (done.has(name)) return undefined;
    for (const next of graph.get(name) ?? []) {
      const cycle = visit(next, [...chain, name]);
      if (cycle !== undefined) return cycle;
    }
    done.add(name);
    return undefined;
  };
  for (const name of graph.keys()) {
    const cycle = visit(name, []);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}

test("a cycle is found and named", () => {
  const graph = new Map([
    ["a", new Set(["b"])],
    ["b", new Set(["c"])],
    ["c", new Set(["b"])],
  ]);
  assert.equal(findCycle(graph), "b → c → b");
  assert.equal(findCycle(new Map([["a", new Set(["b"])]])), undefined);
});

for (const source of globSync("packages/*/src")) {
  const files = readImports(source);

  test(`files of ${source} import in one direction, types included`, () => {
    assert.ok(files.size > 0);
    assert.equal(findCycle(files), undefined);
  });

  test(`folders and root files of ${source} import in one direction, types included`, () => {
    assert.equal(findCycle(toParts(files)), undefined);
  });
}
