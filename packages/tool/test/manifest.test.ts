import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../../../test/support/run.ts";
import { addDataDependency, toAppManifest, toAppTypes } from "../src/manifest.ts";
import { appTemplates } from "../src/templates.ts";

interface Manifest {
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}
const parse = (text: string) => JSON.parse(text) as Manifest; // as the templates are
const readTemplateFile = (template: string, file: string) =>
  readFileSync(join(root, "packages/tool/templates", template, file), "utf8");

const installed = { version: "0.1.0", checkout: undefined };
const linked = { version: "0.1.0", checkout: "/checkout/packages" };

for (const template of appTemplates) {
  const text = readTemplateFile(template, "package.json");

  test(`the ${template} template has the versions of the workspace`, () => {
    const workspace = parse(readFileSync(join(root, "package.json"), "utf8")).devDependencies;
    const { devDependencies, dependencies } = parse(text);
    for (const [name, version] of Object.entries({ ...devDependencies, ...dependencies })) {
      assert.equal(version, name.startsWith("@tenon/") ? "^0.1.0" : workspace[name], name);
    }
  });

  test(`the ${template} template runs built packages as they are, and linked ones from their source`, () => {
    const types = readTemplateFile(template, "tsconfig.json");
    assert.equal(toAppManifest(text, installed), text);
    assert.equal(toAppTypes(types, installed), types);
    const { scripts, dependencies } = parse(toAppManifest(text, linked));
    const own = Object.entries(dependencies).filter(([name]) => name.startsWith("@tenon/"));
    assert.ok(own.length > 0);
    for (const [name, version] of own) assert.equal(version, `file:${name.replace("@tenon", "/checkout/packages")}`);
    assert.match(scripts.start ?? "", /^node --conditions=@tenon\/source src\/main\.\w+\.ts$/);
    assert.equal(scripts.test, 'node --conditions=@tenon/source --test "test/**/*.test.ts"');
    assert.match(toAppTypes(types, linked), /"customConditions": \["@tenon\/source"\],/);
  });
}

test("what several templates have is the same in all of them", () => {
  const shared: readonly (readonly [path: string, ...templates: string[]])[] = [
    ["tsconfig.json", ...appTemplates],
    ["gitignore", ...appTemplates],
    ["src/greetings/greetings.service.ts", ...appTemplates],
    ["src/data.module.ts", "web", "full", "module-resource"],
    ["views/layout.eta", "web", "full"],
    ["views/greetings/index.eta", "web", "full"],
    ["views/errors/404.eta", "web", "full"],
    ["views/errors/error.eta", "web", "full"],
    ["assets/style.css", "web", "full"],
  ];
  for (const [path, ...templates] of shared) {
    const [first, ...others] = templates.map((template) => readTemplateFile(template, path));
    for (const other of others) assert.equal(other, first, path);
  }
});

test("@tenon/data comes from where @tenon/core comes from, and is added once", () => {
  const added = (core: string) =>
    addDataDependency(`{ "dependencies": { "@tenon/core": "${core}", "zod": "^4" } }`, linked);
  assert.deepEqual(Object.entries(parse(added("^0.2.0") ?? "").dependencies), [
    ["@tenon/core", "^0.2.0"],
    ["@tenon/data", "^0.2.0"],
    ["zod", "^4"],
  ]);
  assert.equal(parse(added("file:../packages/core") ?? "").dependencies["@tenon/data"], "file:../packages/data");
  assert.equal(parse(addDataDependency("{}", installed) ?? "").dependencies["@tenon/data"], "^0.1.0");
  assert.equal(addDataDependency(added("^0.2.0") ?? "", installed), undefined);
});

test("a package.json that cannot be read is told by its name", () => {
  for (const text of ["{ broken", "null", '"text"']) {
    assert.throws(() => addDataDependency(text, installed), /package\.json holds no JSON object/);
  }
});
