import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { settings } from "../../../../scripts/release/settings.ts";
import { root } from "../../../../test/support/run.ts";
import { MachineNode } from "../../src/scaffold/machine-node.ts";
import { addDependencies, toAppManifest, toAppTsconfig } from "../../src/scaffold/manifest.ts";
import { isOwn, type Origin, readOrigin } from "../../src/scaffold/origin.ts";
import { appTemplates } from "../../src/templates.ts";

interface Manifest {
  readonly engines?: { readonly node: string };
  readonly allowScripts?: Readonly<Record<string, boolean>>;
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}
const parse = (text: string) => JSON.parse(text) as Manifest; // the templates have all three
const readTemplateFile = (template: string, file: string) =>
  readFileSync(join(root, "packages/tool/templates", template, file), "utf8");

const own = readOrigin().version;
const installed = { version: own, checkout: undefined };
const addData = (text: string, origin: Origin) => addDependencies(text, origin, ["data"]);
const addFuzz = (text: string, origin: Origin) => addDependencies(text, origin, ["core"], ["fuzz"]);
const whole = { lint: true, ownNode: false };
const linked = { version: own, checkout: "/checkout/packages" };

for (const template of appTemplates) {
  const text = readTemplateFile(template, "package.json");

  test(`uses the versions of the workspace in the ${template} template`, () => {
    const workspace = parse(readFileSync(join(root, "package.json"), "utf8")).devDependencies;
    const { devDependencies, dependencies } = parse(text);
    for (const [name, version] of Object.entries({ ...devDependencies, ...dependencies })) {
      assert.equal(version, isOwn(name) ? `^${own}` : workspace[name], name);
    }
  });

  test(`has a Node of its own only on a machine whose Node is too old, in the ${template} template`, () => {
    const workspace = parse(readFileSync(join(root, "package.json"), "utf8")).devDependencies;
    const written = parse(text);
    assert.deepEqual([written.devDependencies.node, written.engines], [undefined, settings.engines]);
    const pinned = parse(toAppManifest(text, installed, { ...whole, ownNode: true }));
    assert.equal(pinned.devDependencies.node, workspace.node);
    assert.equal(pinned.allowScripts?.node, true);
    assert.equal(pinned.engines, undefined, "npm would warn: it runs on the older Node");
    const { devDependencies } = written;
    assert.deepEqual({ ...pinned.devDependencies, node: undefined }, { ...devDependencies, node: undefined });
  });

  test(`has nothing of Biome without the linter in the ${template} template`, () => {
    const { check, ...scripts } = parse(toAppManifest(text, installed, { ...whole, lint: false })).scripts;
    assert.equal(check, "npm run types && npm test");
    assert.deepEqual(
      Object.keys(parse(text).scripts).filter((name) => !(name in scripts)),
      ["lint", "format", "check"],
    );
    assert.doesNotMatch(toAppManifest(text, installed, { ...whole, lint: false }), /biome/);
  });

  test(`runs installed packages as built, and linked ones from their source, in the ${template} template`, () => {
    const types = readTemplateFile("app", "tsconfig.json");
    assert.equal(toAppManifest(text, installed, whole), text);
    assert.equal(toAppTsconfig(types, installed), types);
    const { scripts, dependencies, devDependencies } = parse(toAppManifest(text, linked, whole));
    const packages = Object.entries(dependencies).filter(([name]) => name.startsWith("@tenon/"));
    assert.ok(packages.length > 0);
    for (const [name, version] of packages)
      assert.equal(version, `file:${name.replace("@tenon", "/checkout/packages")}`);
    assert.equal(devDependencies.tenon, "file:/checkout/packages/tool");
    const flags = "--import ./checkout.mjs --conditions=@tenon/source";
    assert.match(scripts.start ?? "", new RegExp(`^node ${flags} src/main\\.\\w+\\.ts$`));
    assert.equal(scripts.test, `node ${flags} --test "test/**/*.test.ts"`);
    assert.match(toAppTsconfig(types, linked), /"customConditions": \["@tenon\/source"\],/);
    assert.throws(
      () => toAppTsconfig(types.replace("{\n", "{").replace("{\n", "{ "), linked),
      /once in a text, and found it 0 times/,
    );
  });
}

test("knows a machine whose Node is too old by the Node that npm runs on", () => {
  const npm = (version: string) => `npm/11.19.1 node/v${version} linux x64 workspaces/false`;
  const fromNpm = "/home/ada/.npm/_npx/26698273a31e0cf7/node_modules/node/bin/node";
  assert.equal(new MachineNode(npm("20.20.2"), fromNpm).isTooOld, true);
  assert.equal(new MachineNode(npm("24.1.0"), fromNpm).isTooOld, false);
  assert.equal(new MachineNode("", fromNpm).isTooOld, false);
  assert.equal(new MachineNode(npm("20.20.2"), "/usr/bin/node").isTooOld, false, "it does not come from npm");
});

test("keeps the files that several templates share identical", () => {
  const shared: readonly (readonly [path: string, ...templates: string[]])[] = [
    ["src/greetings/greetings.service.ts", ...appTemplates],
    ["src/data.module.ts", ...appTemplates],
    ["src/jobs.module.ts", ...appTemplates],
    ["src/main.worker.ts", ...appTemplates],
    ["src/database/schema.ts", ...appTemplates],
  ];
  for (const [path, ...templates] of shared) {
    const [first, ...others] = templates.map((template) => readTemplateFile(template, path));
    for (const other of others) assert.equal(other, first, path);
  }
});

test("adds @tenon/data once, from the same place as @tenon/core", () => {
  const added = (core: string) => addData(`{ "dependencies": { "@tenon/core": "${core}", "zod": "^4" } }`, linked);
  assert.deepEqual(Object.entries(parse(added("^0.2.0") ?? "").dependencies), [
    ["@tenon/core", "^0.2.0"],
    ["@tenon/data", "^0.2.0"],
    ["zod", "^4"],
  ]);
  assert.equal(parse(added("file:../packages/core") ?? "").dependencies["@tenon/data"], "file:../packages/data");
  assert.equal(parse(added("link:core/") ?? "").dependencies["@tenon/data"], "link:data");
  for (const place of ["file:vendor/tenon-core-0.1.0.tgz", "https://example.com/core.tgz"]) {
    assert.throws(() => added(place), /does not tell where @tenon\/data is: add @tenon\/data to the dependencies/);
  }
  assert.equal(parse(addData("{}", installed) ?? "").dependencies["@tenon/data"], `^${own}`);
  assert.equal(addData(added("^0.2.0") ?? "", installed), undefined);
});

test("names package.json in the error when it is not a JSON object", () => {
  for (const text of ["{ broken", "null", '"text"']) {
    assert.throws(() => addData(text, installed), /package\.json is not a JSON object/);
  }
});

test("adds a package for tests to the development dependencies, from the same place as the others", () => {
  const text = readTemplateFile("api", "package.json");
  const added = addFuzz(toAppManifest(text, linked, whole), linked) ?? assert.fail();
  assert.equal(parse(added).devDependencies["@tenon/fuzz"], "file:/checkout/packages/fuzz");
  assert.equal(parse(added).dependencies["@tenon/fuzz"], undefined);
  assert.equal(addFuzz(added, linked), undefined);
});
