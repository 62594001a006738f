import assert from "node:assert/strict";
import { test } from "node:test";
import { wireModule } from "../src/wiring.ts";

const module = { name: "PostsModule", path: "./posts/posts.module.ts" };
const core = 'import { defineModule } from "@tenon/core";\n';
const line = 'import { PostsModule } from "./posts/posts.module.ts";\n';

/** What follows the imports, before and after. */
const formats: readonly [name: string, before: string, after: string][] = [
  [
    "a list on one line",
    'export const AppModule = defineModule({\n  name: "app",\n  imports: [A],\n});\n',
    'export const AppModule = defineModule({\n  name: "app",\n  imports: [A, PostsModule],\n});\n',
  ],
  [
    "an empty list",
    'export const AppModule = defineModule({ name: "app", imports: [] });\n',
    'export const AppModule = defineModule({ name: "app", imports: [PostsModule] });\n',
  ],
  [
    "a list on lines of its own, with a comment",
    "export const AppModule = defineModule({\n  imports: [\n    A, // first ]\n    b({ c: [1] }),\n  ],\n});\n",
    "export const AppModule = defineModule({\n  imports: [\n    A, // first ]\n    b({ c: [1] }),\n    PostsModule,\n  ],\n});\n",
  ],
  [
    "no list, after the name",
    'export const AppModule = defineModule({\n  name: "app",\n  declarations: [A],\n});\n',
    'export const AppModule = defineModule({\n  name: "app",\n  imports: [PostsModule],\n  declarations: [A],\n});\n',
  ],
  [
    "a name alone",
    'export const AppModule = defineModule({ name: "app" });\n',
    'export const AppModule = defineModule({ name: "app", imports: [PostsModule] });\n',
  ],
  [
    "a name alone that is an expression",
    "export const AppModule = defineModule({ name: nameOf({ a: 1 }) });\n",
    "export const AppModule = defineModule({ name: nameOf({ a: 1 }), imports: [PostsModule] });\n",
  ],
  [
    "no properties",
    "export const AppModule = defineModule({});\n",
    "export const AppModule = defineModule({ imports: [PostsModule] });\n",
  ],
  [
    "a name alone on its line",
    'export const AppModule = defineModule({\n  name: "app",\n});\n',
    'export const AppModule = defineModule({\n  name: "app",\n  imports: [PostsModule],\n});\n',
  ],
  [
    "words in comments, texts and regular expressions",
    `const a = "imports: [";\nconst b = /imports: ["]/;\n// defineModule({ imports: [\nconst c = \`defineModule({ \${"}"} imports: [\`;\nexport const AppModule = defineModule({ imports: [A] });\n`,
    `const a = "imports: [";\nconst b = /imports: ["]/;\n// defineModule({ imports: [\nconst c = \`defineModule({ \${"}"} imports: [\`;\nexport const AppModule = defineModule({ imports: [A, PostsModule] });\n`,
  ],
  [
    "several modules, of which one is the application's",
    "const Users = defineModule({ imports: [A] });\nexport const AppModule = defineModule({ imports: [Users] });\n",
    "const Users = defineModule({ imports: [A] });\nexport const AppModule = defineModule({ imports: [Users, PostsModule] });\n",
  ],
  [
    "inner objects with a property of that name",
    "export const AppModule = defineModule({ declarations: [f({ imports: [A] })] });\n",
    "export const AppModule = defineModule({ imports: [PostsModule], declarations: [f({ imports: [A] })] });\n",
  ],
];

for (const [name, before, after] of formats) {
  test(`wires into ${name}`, () => {
    assert.equal(wireModule(`${core}\n${before}`, module), `${core}${line}\n${after}`);
  });
}

test("the import stands where a sorted list has it", () => {
  const a = 'import { A } from "./a/a.module.ts";\n';
  const z = 'import { Z } from "./z/z.module.ts";\n';
  const rest = "\nexport const AppModule = defineModule({ imports: [A, Z] });\n";
  const wired = wireModule(core + a + z + rest, module) ?? "";
  assert.ok(wired.startsWith(core + a + line + z), wired);
});

test("numbers in the paths of imports count as numbers, and a folder comes before those that begin with its name", () => {
  const lines = ["series", "series-2", "series-10"].map((name) => `import { A } from "./${name}/${name}.module.ts";\n`);
  const rest = "\nexport const AppModule = defineModule({ imports: [A] });\n";
  for (const [index, added] of lines.entries()) {
    const others = lines.toSpliced(index, 1).join("");
    const path = /"(.+)"/.exec(added)?.[1] ?? "";
    const wired = wireModule(core + others + rest, { name: "B", path }) ?? "";
    assert.ok(wired.startsWith(core + lines.with(index, added.replace("A", "B")).join("")), wired);
  }
});

test("a list that gets too wide for its line is broken, one module a line", () => {
  const names = Array.from({ length: 6 }, (_, index) => `SomeRatherLong${index}Module`);
  const source = `${core}\nexport const AppModule = defineModule({\n  imports: [${names.join(", ")}],\n});\n`;
  const lines = [...names, "PostsModule"].map((name) => `    ${name},\n`).join("");
  assert.equal(
    wireModule(source, module),
    `${core}${line}\nexport const AppModule = defineModule({\n  imports: [\n${lines}  ],\n});\n`,
  );
});

test("line ends stay what they are", () => {
  const source = `${core}\nexport const AppModule = defineModule({\n  name: "app",\n});\n`.replaceAll("\n", "\r\n");
  const wired = wireModule(source, module) ?? "";
  assert.ok(wired.includes("PostsModule]"));
  assert.equal(wired.replaceAll("\r\n", "").includes("\n"), false);
});

const unclear: readonly [name: string, source: string][] = [
  ["nothing", ""],
  ["no defineModule", `${core}\nexport const AppModule = 1;\n`],
  ["another defineModule", 'import { defineModule } from "other";\nexport const AppModule = defineModule({});\n'],
  ["an alias", 'import { defineModule as define } from "@tenon/core";\nexport const AppModule = define({});\n'],
  ["a variable", `${core}const imports = [A];\nexport const AppModule = defineModule({ imports });\n`],
  ["an expression", `${core}export const AppModule = defineModule({ imports: [A].concat(B) });\n`],
  ["a list from elsewhere", `${core}export const AppModule = defineModule({ imports: all });\n`],
  ["a spread", `${core}export const AppModule = defineModule({ ...base });\n`],
  ["options from elsewhere", `${core}export const AppModule = defineModule(options);\n`],
  ["two that may be meant", `${core}const A = defineModule({});\nconst B = defineModule({});\n`],
  ["the name already used", `${core}const PostsModule = 1;\nexport const AppModule = defineModule({ imports: [] });\n`],
  ["an open bracket", `${core}export const AppModule = defineModule({ imports: [A };\n`],
  ["an open text", `${core}export const AppModule = defineModule({ name: "app, imports: [A] });\n`],
  ["an open comment", `${core}export const AppModule = defineModule({ imports: [] }); /* more`],
];

for (const [name, source] of unclear) {
  test(`leaves alone what it does not understand: ${name}`, () => assert.equal(wireModule(source, module), undefined));
}
