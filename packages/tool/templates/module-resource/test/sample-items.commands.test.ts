import assert from "node:assert/strict";
import { after, beforeEach, test } from "node:test";
{% if (split) { -%}
import { defineModule } from "@tenon/core";
{% } -%}
import { cli } from "@tenon/core/cli";
import { createTestApp } from "@tenon/core/testing";
import { createTestStores } from "@tenon/data/testing";
{% const own = (role) => ({ name: `SampleItems${role}`, path: `../src/sample-items/sample-items.${role.toLowerCase()}.ts` }); -%}
{%= importAll([...(split ? [...testModules, own("Commands")] : []), own("Module")]) %}{% if (referencedRows.length > 0) { -%}
import { createReferences } from "./support/sample-items.references.ts";
{% } -%}

/** New for this run: in memory, or on the servers of TEST_STORES. */
const stores = await createTestStores(process.env.TEST_STORES);
{% if (split) { -%}
const TestModule = defineModule({ name: "test", imports: [{%= testModules.map(({ name }) => name).join(", ") %}, SampleItemsModule], declarations: [SampleItemsCommands] });
{% } -%}
const app = await createTestApp({%= split ? "Test" : "SampleItems" %}Module, cli({ name: "app" }), { config: stores.config });
after(() => stores.stop(app));
{% if (referencedRows.length > 0) { -%}
await createReferences(app);
{% } -%}

async function run(...words: readonly string[]) {
  const { code, stdout, stderr } = await app.run(["sample-items", ...words, "--json"]);
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout) as unknown;
}

/** `--title=First` for each value. */
function toFlags(values: object): string[] {
{% if (hasJson) { -%}
  const toText = (value: unknown) => (typeof value === "object" ? JSON.stringify(value) : value);
  return Object.entries(values).map(([name, value]) => `--${name}=${toText(value)}`);
{% } else { -%}
  return Object.entries(values).map(([name, value]) => `--${name}=${value}`);
{% } -%}
}

const first = {%= samples.command %};
const second = {%= samples.second %};
let id = "";
beforeEach(async () => {
  ({ id } = (await run("create", ...toFlags(first))) as { id: string }); // from the service
});

{% if (required) { -%}
test("create fails without {%= required.phrase %}", async () => {
  const { code, stderr } = await app.run(["sample-items", "create"{% if (owner) { %}, "--user_id={%= ids.sample %}"{% } %}]);
  assert.equal(code, 2);
  assert.match(stderr, /--{%= required.name.replaceAll("_", "-") %} is required/);
});

{% } -%}
test("list shows a created one", async () => {
  const list = (await run("list", "--limit=1000")) as { id: string }[]; // from the service
  assert.ok(list.some((listed) => listed.id === id));
});

test("show shows one", async () => {
  assert.partialDeepStrictEqual(await run("show", id), { id, ...first });
});

test("update changes one", async () => {
  assert.partialDeepStrictEqual(await run("update", id, ...toFlags(second)), { id, ...second });
});

test("delete removes one", async () => {
  assert.equal(await run("delete", id), "deleted");
  assert.equal((await app.run(["sample-items", "show", id])).code, 1);
});

test("show, update and delete fail for an unknown id", async () => {
  for (const word of ["show", "update", "delete"]) {
    for (const unknown of ["unknown", "{%= ids.other %}"]) {
      const { code, stderr } = await app.run(["sample-items", word, unknown]);
      assert.deepEqual([code, stderr], [1, "app: Sample item not found\n"]);
    }
  }
});
{% if (owner) { -%}

test("create fails for an unknown user", async () => {
  const { code, stderr } = await app.run(["sample-items", "create", ...toFlags({ ...first, user_id: "unknown" })]);
  assert.deepEqual([code, stderr], [1, "app: User not found\n"]);
});
{% } -%}
