import assert from "node:assert/strict";
import { after, beforeEach, test } from "node:test";
import { cli } from "@tenon/core/cli";
import { createTestApp } from "@tenon/core/testing";
import { useDatabase } from "@tenon/data";
import { SampleItemsModule } from "../src/sample-items/sample-items.module.ts";

/** The database is in memory, so that tests never see the data of another run. */
const override = [useDatabase("sqlite::memory:")];
const app = await createTestApp(SampleItemsModule, cli({ name: "app" }), { override });
after(() => app.stop());

async function run(...words: readonly string[]) {
  const { code, stdout, stderr } = await app.run(["sample-items", ...words, "--json"]);
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout) as unknown;
}

/** `--title=First` for each value. */
function toFlags(values: object): string[] {
  return Object.entries(values).map(([name, value]) => `--${name}=${value}`);
}

const first = { title: "First" };
const second = { title: "Second" };
let id = "";
beforeEach(async () => {
  ({ id } = (await run("create", ...toFlags(first))) as { id: string }); // from the service
});

test("create fails without a title", async () => {
  const { code, stderr } = await app.run(["sample-items", "create"]);
  assert.equal(code, 2);
  assert.match(stderr, /--title is required/);
});

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
  for (const words of [
    ["show", "unknown"],
    ["delete", "unknown"],
    ["update", "unknown", ...toFlags(second)],
  ]) {
    const { code, stderr } = await app.run(["sample-items", ...words]);
    assert.deepEqual([code, stderr], [1, "app: Sample item not found\n"]);
  }
});
