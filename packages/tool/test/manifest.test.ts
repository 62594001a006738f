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

for (const template of appTemplates) {
  const text = readTemplateFile(template, "package.json");

  test(`the ${template} template has the versions of the workspace`, () => {
    const workspace = parse(readFileSync(join(root, "package.json"), "utf8")).devDependencies;
    for (const [name, version] of Object.entries(parse(text).devDependencies)) {
      assert.equal(version, workspace[name], name);
    }
  });

  test(`the ${template} template runs built packages as they are, and linked ones from their source`, () => {
    assert.equal(toAppManifest(text, "^0.1.0"), text);
    const types = readTemplateFile(template, "tsconfig.json");
    assert.equal(toAppTypes(types, "^0.1.0"), types);
    const { scripts, dependencies } = parse(toAppManifest(text, "file:/checkout/packages/core"));
    assert.deepEqual(dependencies, { "@tenon/core": "file:/checkout/packages/core" });
    assert.equal(scripts.start, `node --conditions=@tenon/source src/main.${template}.ts`);
    assert.equal(scripts.test, 'node --conditions=@tenon/source --test "test/**/*.test.ts"');
    assert.match(toAppTypes(types, "file:/x"), /"customConditions": \["@tenon\/source"\],/);
  });
}

test("@tenon/data comes from where @tenon/core comes from, and is added once", () => {
  const added = (core: string) =>
    addDataDependency(`{ "dependencies": { "@tenon/core": "${core}", "zod": "^4" } }`, "");
  assert.deepEqual(Object.entries(parse(added("^0.2.0") ?? "").dependencies), [
    ["@tenon/core", "^0.2.0"],
    ["@tenon/data", "^0.2.0"],
    ["zod", "^4"],
  ]);
  assert.equal(parse(added("file:../packages/core") ?? "").dependencies["@tenon/data"], "file:../packages/data");
  assert.equal(parse(addDataDependency("{}", "^0.1.0") ?? "").dependencies["@tenon/data"], "^0.1.0");
  assert.equal(addDataDependency(added("^0.2.0") ?? "", ""), undefined);
});
