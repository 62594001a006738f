import assert from "node:assert/strict";
import { test } from "node:test";
import { type AddedClass, addToModule } from "../../../src/generate/edit/edit-module.ts";

const addModuleImport = (source: string, added: AddedClass) => addToModule(source, "imports", added);
const module = { name: "PostsModule", path: "./posts/posts.module.ts" };
const core = 'import { defineModule } from "@tenon/core";\n';
const line = 'import { PostsModule } from "./posts/posts.module.ts";\n';

/** The source after the import statements, before and after the edit. */
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
    "a list on several lines, with a comment",
    "export const AppModule = defineModule({\n  imports: [\n    A, // first ]\n    b({ c: [1] }),\n  ],\n});\n",
    "export const AppModule = defineModule({\n  imports: [\n    A, // first ]\n    b({ c: [1] }),\n    PostsModule,\n  ],\n});\n",
  ],
  [
    "a module without a list, after its name",
    'export const AppModule = defineModule({\n  name: "app",\n  declarations: [A],\n});\n',
    'export const AppModule = defineModule({\n  name: "app",\n  imports: [PostsModule],\n  declarations: [A],\n});\n',
  ],
  [
    "a module that has only a name",
    'export const AppModule = defineModule({ name: "app" });\n',
    'export const AppModule = defineModule({ name: "app", imports: [PostsModule] });\n',
  ],
  [
    "a module that has only a name, which is an expression",
    "export const AppModule = defineModule({ name: nameOf({ a: 1 }) });\n",
    "export const AppModule = defineModule({ name: nameOf({ a: 1 }), imports: [PostsModule] });\n",
  ],
  [
    "a module without properties",
    "export const AppModule = defineModule({});\n",
    "export const AppModule = defineModule({ imports: [PostsModule] });\n",
  ],
  [
    "a module that has only a name, on a line of its own",
    'export const AppModule = defineModule({\n  name: "app",\n});\n',
    'export const AppModule = defineModule({\n  name: "app",\n  imports: [PostsModule],\n});\n',
  ],
  [
    "the right list, when comments, strings and regular expressions look like one",
    `const a = "imports: [";\nconst b = /imports: ["]/;\n// defineModule({ imports: [\nconst c = \`defineModule({ \${"}"} imports: [\`;\nexport const AppModule = defineModule({ imports: [A] });\n`,
    `const a = "imports: [";\nconst b = /imports: ["]/;\n// defineModule({ imports: [\nconst c = \`defineModule({ \${"}"} imports: [\`;\nexport const AppModule = defineModule({ imports: [A, PostsModule] });\n`,
  ],
  [
    "AppModule, when the file defines several modules",
    "const Users = defineModule({ imports: [A] });\nexport const AppModule = defineModule({ imports: [Users] });\n",
    "const Users = defineModule({ imports: [A] });\nexport const AppModule = defineModule({ imports: [Users, PostsModule] });\n",
  ],
  [
    "the module itself, when an inner object has a property of the same name",
    "export const AppModule = defineModule({ declarations: [f({ imports: [A] })] });\n",
    "export const AppModule = defineModule({ imports: [PostsModule], declarations: [f({ imports: [A] })] });\n",
  ],
  [
    "a list on several lines, after the comment of the last item",
    "export const AppModule = defineModule({\n  imports: [\n    A, // first\n    B, // last\n    // more to come\n  ],\n});\n",
    "export const AppModule = defineModule({\n  imports: [\n    A, // first\n    B, // last\n    PostsModule,\n    // more to come\n  ],\n});\n",
  ],
  [
    "a list on several lines without a trailing comma",
    "export const AppModule = defineModule({\n  imports: [\n    A,\n    B // last\n  ]\n});\n",
    "export const AppModule = defineModule({\n  imports: [\n    A,\n    B, // last\n    PostsModule\n  ]\n});\n",
  ],
  [
    "a list with commas at the start of its lines",
    "export const AppModule = defineModule({\n  imports: [\n    A\n    , B\n  ],\n});\n",
    "export const AppModule = defineModule({\n  imports: [\n    A\n    , B, PostsModule\n  ],\n});\n",
  ],
  [
    "a list on one line with a trailing comma and a comment",
    "export const AppModule = defineModule({ 'imports': [A /* first */,], exports: [A] });\n",
    "export const AppModule = defineModule({ 'imports': [A, PostsModule /* first */,], exports: [A] });\n",
  ],
  [
    "a list with an item in parentheses",
    "export const AppModule = defineModule({ imports: [(A)] });\n",
    "export const AppModule = defineModule({ imports: [(A), PostsModule] });\n",
  ],
  [
    "a module with a comment on each property",
    'export const AppModule = defineModule({\n  name: "app", // its name\n  // its classes\n  declarations: [A],\n});\n',
    'export const AppModule = defineModule({\n  name: "app", // its name\n  imports: [PostsModule],\n  // its classes\n  declarations: [A],\n});\n',
  ],
  [
    "a module without a name, on several lines",
    "export const AppModule = defineModule({\n  // its classes\n  declarations: [A],\n});\n",
    "export const AppModule = defineModule({\n  imports: [PostsModule],\n  // its classes\n  declarations: [A],\n});\n",
  ],
  [
    "a module with a type annotation",
    "const B = defineModule({});\nexport const AppModule: Module<string> = defineModule({ imports: [B] });\n",
    "const B = defineModule({});\nexport const AppModule: Module<string> = defineModule({ imports: [B, PostsModule] });\n",
  ],
];

for (const [name, before, after] of formats) {
  test(`adds the module to ${name}`, () => {
    assert.equal(addModuleImport(`${core}\n${before}`, module), `${core}${line}\n${after}`);
  });
}

test("keeps the import statements sorted", () => {
  const a = 'import { A } from "./a/a.module.ts";\n';
  const z = 'import { Z } from "./z/z.module.ts";\n';
  const rest = "\nexport const AppModule = defineModule({ imports: [A, Z] });\n";
  const edited = addModuleImport(core + a + z + rest, module) ?? "";
  assert.ok(edited.startsWith(core + a + line + z), edited);
});

test("sorts numbers in the paths by value, and a folder before longer names that begin with its name", () => {
  const lines = ["series", "series-2", "series-10"].map(
    (name, index) => `import { A${index} } from "./${name}/${name}.module.ts";\n`,
  );
  const rest = "\nexport const AppModule = defineModule({});\n";
  for (const [index, added] of lines.entries()) {
    const others = lines.toSpliced(index, 1).join("");
    const path = /"(.+)"/.exec(added)?.[1] ?? "";
    const edited = addModuleImport(core + others + rest, { name: "B", path }) ?? "";
    assert.ok(edited.startsWith(core + lines.with(index, added.replace(/A\d/, "B")).join("")), edited);
  }
});

test("breaks a list that becomes too wide for its line, with one module on each line", () => {
  const names = Array.from({ length: 6 }, (_, index) => `SomeRatherLong${index}Module`);
  const source = `${core}\nexport const AppModule = defineModule({\n  imports: [${names.join(", ")}],\n});\n`;
  const lines = [...names, "PostsModule"].map((name) => `    ${name},\n`).join("");
  assert.equal(
    addModuleImport(source, module),
    `${core}${line}\nexport const AppModule = defineModule({\n  imports: [\n${lines}  ],\n});\n`,
  );
});

test("keeps the line endings of the file", () => {
  const source = `${core}\nexport const AppModule = defineModule({\n  name: "app",\n});\n`.replaceAll("\n", "\r\n");
  const edited = addModuleImport(source, module) ?? "";
  assert.ok(edited.includes("PostsModule]"));
  assert.equal(edited.replaceAll("\r\n", "").includes("\n"), false);
});

const unsupported: readonly [name: string, source: string][] = [
  ["an empty file", ""],
  ["no defineModule", `${core}\nexport const AppModule = 1;\n`],
  [
    "defineModule of another package",
    'import { defineModule } from "other";\nexport const AppModule = defineModule({});\n',
  ],
  [
    "an alias of defineModule",
    'import { defineModule as define } from "@tenon/core";\nexport const AppModule = define({});\n',
  ],
  ["a list in a variable", `${core}const imports = [A];\nexport const AppModule = defineModule({ imports });\n`],
  ["a list that is an expression", `${core}export const AppModule = defineModule({ imports: [A].concat(B) });\n`],
  ["a list from elsewhere", `${core}export const AppModule = defineModule({ imports: all });\n`],
  ["a spread", `${core}export const AppModule = defineModule({ ...base });\n`],
  ["a computed key", `${core}export const AppModule = defineModule({ ["imports"]: [A] });\n`],
  ["a getter", `${core}export const AppModule = defineModule({ get imports() { return [A]; } });\n`],
  ["two lists", `${core}export const AppModule = defineModule({ imports: [A], imports: [B] });\n`],
  ["options from elsewhere", `${core}export const AppModule = defineModule(options);\n`],
  ["two modules, neither named AppModule", `${core}const A = defineModule({});\nconst B = defineModule({});\n`],
  [
    "a file that uses the name already",
    `${core}const PostsModule = 1;\nexport const AppModule = defineModule({ imports: [] });\n`,
  ],
  ["an unclosed bracket", `${core}export const AppModule = defineModule({ imports: [A };\n`],
  ["an unclosed string", `${core}export const AppModule = defineModule({ name: "app, imports: [A] });\n`],
  ["an unclosed comment", `${core}export const AppModule = defineModule({ imports: [] }); /* more`],
];

for (const [name, source] of unsupported) {
  test(`refuses to edit ${name}`, () => assert.equal(addModuleImport(source, module), undefined));
}

test("adds a class to the declarations, after the imports of the module", () => {
  const added = { name: "B", path: "./b.ts" };
  const header = `${core}import { A } from "./a.ts";\n`;
  const statement = 'import { B } from "./b.ts";\n';
  const cases = [
    ["{\n  imports: [A],\n}", "{\n  imports: [A],\n  declarations: [B],\n}"],
    ["{ imports: [A], declarations: [] }", "{ imports: [A], declarations: [B] }"],
    ['{ name: "a", exports: [A] }', '{ name: "a", declarations: [B], exports: [A] }'],
  ];
  for (const [before, after] of cases) {
    const edited = addToModule(`${header}export const M = defineModule(${before});\n`, "declarations", added);
    assert.equal(edited, `${header}${statement}export const M = defineModule(${after});\n`);
  }
});

test("sorts paths above the folder before those in it", () => {
  const source = `${core}import { A } from "../a.ts";\nimport { C } from "./c.ts";\nexport const M = defineModule({});\n`;
  const edited = addToModule(source, "declarations", { name: "B", path: "../b.ts" });
  assert.match(edited ?? "", /"\.\.\/a\.ts";\nimport \{ B \} from "\.\.\/b\.ts";\nimport \{ C \}/);
});
