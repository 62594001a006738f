import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { builtTool as tool } from "../support/built-tool.ts";
import { takeSnapshot } from "../support/take-snapshot.ts";

const place = join(tool.folder, "hostile");
const app = join(place, "app");

/** Refused by every command that writes. */
const malformed = [
  ...["../x", "a b", "-x", "", "__proto__", "🐱", "$(touch x)", "`touch x`"],
  ...["sqlite_x", "tenon_x", "a".repeat(300), "a\nb", "a\u001bb", "a/b", "a\\b"],
];
/** For commands that share their check with one that gets all of them. */
const some = ["../x", "", "__proto__", "constructor"];
/** Well-formed: refused where they would be the name of a class, a folder or a table. */
const reserved = ["con", "constructor"];
/** For commands whose classes have the role after the name, so that a reserved word is none of them. */
const ofParts = ["../x", "", "__proto__", "con"];
/** Beside the modules and parts called item3. */
const colliding = ["item-3"];

interface Case {
  readonly title: string;
  readonly words: (name: string) => readonly string[];
  readonly names: readonly string[];
}

const inCommand =
  (...words: readonly string[]) =>
  (name: string) => [...words, name, "--no-install"];
const cases: readonly Case[] = [
  // its argument is a path, whose last part must be a name
  {
    title: "new",
    words: (name) => ["new", name.startsWith("-") ? name : `./${name}`, "--no-install"],
    names: [...malformed.filter((name) => !/^$|\//.test(name)), ...reserved, "x/..", "\u001b/x"],
  },
  {
    title: "app --name",
    words: (name) => ["app", `--name=${name}`, "--no-install"],
    names: [...malformed, ...reserved],
  },
  {
    title: "g module --name",
    words: (name) => ["g", "module", `--name=${name}`, "--type=plain", "--no-install"],
    names: [...malformed, ...reserved, ...colliding, "sqlite-x", "tenon-x"],
  },
  {
    title: "g module --plural",
    words: (name) => ["g", "module", "--name=goose", `--plural=${name}`, "--type=resource", "--no-install"],
    names: some,
  },
  {
    title: "g resource",
    words: inCommand("g", "resource"),
    names: [...malformed, ...reserved, ...colliding, "sqlite-x", "tenon-x", "health"],
  },
  {
    title: "g resource --fields",
    words: (name) => ["g", "resource", "goose", `--fields=${name}:string`, "--no-install"],
    names: ["../x", "a b", "", "__proto__", "constructor", "🐱", "a".repeat(300)],
  },
  { title: "g controller", words: inCommand("g", "controller"), names: [...malformed, "con", ...colliding] },
  ...["service", "middleware", "command", "job", "channel"].map((kind) => ({
    title: `g ${kind}`,
    words: inCommand("g", kind),
    names: [...ofParts, ...colliding],
  })),
  {
    title: "g service --module",
    words: (name) => ["g", "service", "goose", `--module=${name}`, "--no-install"],
    names: [...some, ...colliding],
  },
  // the number before the name keeps con.ts away, and no class has the name
  { title: "migrate make", words: (name) => ["migrate", "make", name], names: malformed },
  { title: "explain", words: (name) => ["explain", name], names: [...some, ...colliding] },
];

before(async () => {
  mkdirSync(place, { recursive: true });
  await tool.print(place, "new", "app", "--no-install");
  await tool.print(app, "g", "module", "--name=item3", "--type=plain", "--no-install");
  await tool.print(app, "g", "resource", "item3", "--no-install");
  for (const kind of ["controller", "service", "middleware", "command", "job", "channel"]) {
    await tool.print(app, "g", kind, "item3", "--no-install");
  }
});

for (const { title, words, names } of cases) {
  test(`tenon ${title} refuses hostile names with one line, and writes nothing`, { timeout: 240_000 }, async () => {
    const before = takeSnapshot(place);
    for (const name of names) {
      const { code, stdout, stderr } = await tool.run(app, ...words(name));
      const shown = `tenon ${words(name).join(" ")}: ${code}\n${stdout}${stderr}`;
      assert.ok(code === 1 || code === 2, shown);
      assert.equal(stdout, "", shown);
      assert.match(stderr, /^tenon: .{10,}\n$/, shown);
      assert.doesNotMatch(stderr, /Error|undefined|\[object/, shown);
    }
    assert.deepEqual(takeSnapshot(place), before);
  });
}
