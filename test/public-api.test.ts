import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { root } from "./support/run.ts";

interface Name {
  readonly name: string;
  readonly kind: "value" | "type";
}

/** An index lists its names one by one: it contains only `export { … } from` and `export type { … } from`. */
function namesIn(source: string): Name[] {
  const names: Name[] = [];
  const rest = source.replaceAll(
    /export (type )?\{([^}]*)\} from "[^"]+";/g,
    (_, typesOnly: string | undefined, list: string) => {
      for (const item of list.split(",").map((text) => text.trim())) {
        if (item === "") continue;
        const isType = typesOnly !== undefined || item.startsWith("type ");
        const name =
          item
            .replace(/^type /, "")
            .split(" as ")
            .at(-1) ?? item;
        names.push({ name, kind: isType ? "type" : "value" });
      }
      return "";
    },
  );
  assert.equal(rest.trim(), "", "an index holds only exports by name");
  return names.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Every subpath of every package with its source file. */
function readSubpaths(): { subpath: string; file: string }[] {
  return globSync("packages/*/package.json", { cwd: root })
    .sort()
    .flatMap((path) => {
      const manifest = JSON.parse(readFileSync(join(root, path), "utf8")) as {
        name: string;
        exports: Record<string, string | Record<string, string>>;
      }; // npm refuses others
      return Object.entries(manifest.exports).flatMap(([name, target]) =>
        typeof target === "string"
          ? []
          : [
              {
                subpath: `${manifest.name}${name.slice(1)}`,
                file: join(root, dirname(path), target["@tenon/source"] ?? ""),
              },
            ],
      );
    });
}

test("the public names are those in public-api.txt (edit the file when you change them on purpose)", () => {
  const text = readSubpaths()
    .map(({ subpath, file }) => {
      const names = namesIn(readFileSync(file, "utf8"));
      return [subpath, ...names.map(({ kind, name }) => `  ${kind.padEnd(5)} ${name}`), ""].join("\n");
    })
    .join("\n");
  assert.equal(text, readFileSync(join(root, "test/public-api.txt"), "utf8"));
});

test("the values that an index lists are exactly those at run time", async () => {
  for (const { subpath, file } of readSubpaths()) {
    const values = namesIn(readFileSync(file, "utf8")).filter(({ kind }) => kind === "value");
    const module: object = await import(subpath);
    assert.deepEqual(Object.keys(module).sort(), values.map(({ name }) => name).sort(), subpath);
  }
});
