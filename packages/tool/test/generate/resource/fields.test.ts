import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { parseFields } from "../../../src/generate/resource/fields.ts";
import { runTool } from "../../support/tool.ts";

test("parses names, types, optional fields and references", () => {
  assert.deepEqual(parseFields("title:string, note:text?,author:ref,second_editor:ref:user?"), [
    { name: "title", type: "string", isOptional: false, target: undefined, values: [] },
    { name: "note", type: "text", isOptional: true, target: undefined, values: [] },
    { name: "author_id", type: "ref", isOptional: false, target: "authors", values: [] },
    { name: "second_editor_id", type: "ref", isOptional: true, target: "users", values: [] },
  ]);
});

test("parses the values of an enum, which need no quotes in a shell", () => {
  const toValues = (text: string) =>
    parseFields(text).map(({ name, values, isOptional }) => [name, values, isOptional]);
  assert.deepEqual(toValues("status:enum:draft, in_review,done,kind:enum:a?,size:enum:S,M-1?,title:string"), [
    ["status", ["draft", "in_review", "done"], false],
    ["kind", ["a"], true],
    ["size", ["S", "M-1"], true],
    ["title", [], false],
  ]);
});

const known = "the types are string, text, integer, number, decimal, boolean, date, timestamp, enum, uuid, json, ref";
const refused = [
  ["title", known],
  ["title:varchar", known],
  ["title:string:x", known],
  ["", known],
  ["title:string,", known],
  ["Title:string", "lower-case words"],
  ["a b:string", "lower-case words"],
  ['"):string', "lower-case words"],
  ["id:string", "every resource has already"],
  ["created_at:date", "every resource has already"],
  ["json:boolean", "reserved word"],
  ["class:string", "reserved word"],
  ["a:string,a:text", "has a twice"],
  ["author:ref:../up", "refers to"],
  ["status:enum", known],
  ["status:enum:", 'the value "" for status'],
  ["status:enum:a,", 'the value "" for status'],
  ["status:enum:a?,b", known],
  ['status:enum:a,b"', "letters and digits"],
  ["status:enum:a,b,a", "the value a twice for status"],
] as const;

test("refuses bad fields with one line and writes nothing", async () => {
  const folder = temporaryFolder("fields");
  await runTool(folder, "app", "--name=shop");
  const shop = join(folder, "shop");
  const before = globSync("**/*", { cwd: shop });
  for (const [fields, reason] of refused) {
    const { code, stdout, stderr } = await runTool(shop, "g", "resource", "post", `--fields=${fields}`);
    assert.deepEqual([code, stdout], [2, ""], fields);
    assert.ok(stderr.startsWith("tenon: --fields ") && stderr.includes(reason), stderr);
    assert.equal(stderr.split("\n").length, 2, stderr);
  }
  const missing = await runTool(shop, "g", "resource", "post", "--fields=author:ref");
  assert.equal(missing.code, 1);
  assert.match(missing.stderr, /there is no resource authors to refer to/);
  const plain = await runTool(shop, "g", "module", "--name=post", "--type=plain", "--fields=a:string");
  assert.match(plain.stderr, /--fields is for --type=resource/);
  assert.deepEqual(globSync("**/*", { cwd: shop }), before);
});

test("gives fields the names that the template has for the resource itself", async () => {
  const folder = temporaryFolder("names");
  await runTool(folder, "app", "--name=shop");
  const shop = join(folder, "shop");
  await runTool(shop, "g", "resource", "sample-item");
  const fields = "--fields=sample_items:string,sample_item:ref";
  assert.equal((await runTool(shop, "g", "resource", "post", fields)).code, 0);
  const source = readFileSync(join(shop, "src/posts/posts.dto.ts"), "utf8");
  assert.match(source, /Post = dto\("Post", \{\n.*\n {2}sample_items: string\(.*\n {2}sample_item_id: string\(/);
});
