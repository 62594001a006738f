import assert from "node:assert/strict";
import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../../../../test/support/run.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { appTemplates } from "../../src/templates.ts";
import { checkStyle, checkTypes, isFull, runScriptOrFail } from "../support/generated-app.ts";
import { runTool } from "../support/tool.ts";

const scalars = "title:string,body:text,count:integer,price:number,done:boolean,due_on:date,seen_at:timestamp";
const resources = [
  ["author", "--fields=name:string"],
  ["everything", `--fields=${scalars}`],
  ["maybe", `--fields=${scalars.replaceAll(",", "?,")}?`],
  ["blog-post", "--fields=body:text,author:ref,second_author:ref:author?,title:string"],
  ["rating", "--fields=stars:integer?,is_public:boolean,blog_post:ref?"],
] as const;

/** Applications with resources that have all types of fields. */
async function generate(folder: string, template: string): Promise<string> {
  await runTool(folder, "app", `--name=${template}-app`, `--template=${template}`);
  const app = join(folder, `${template}-app`);
  symlinkSync(join(root, "node_modules"), join(app, "node_modules"));
  for (const [name, fields] of resources) {
    const { code, stderr } = await runTool(app, "g", "resource", name, fields);
    assert.equal(code, 0, stderr);
  }
  return app;
}

const folder = temporaryFolder("resources");
const apps = Promise.all(appTemplates.map((template) => generate(folder, template)));

test("generates code that passes lint, format and type checks for every type of field", async () => {
  const all = await apps;
  await checkStyle(all);
  await checkTypes(folder, all);
});

for (const template of isFull ? appTemplates : (["full"] as const)) {
  test(`generates tests that pass for every type of field in the ${template} template`, async () => {
    await apps;
    const env = isFull ? {} : { NODE_OPTIONS: "--test-isolation=none" };
    const output = await runScriptOrFail(join(folder, `${template}-app`), "test", [], env);
    if (template !== "full") return;
    assert.match(output, /POST \/blog-posts responds with 400 without a body/);
    assert.match(output, /POST \/blog-posts responds with 400 for an author that does not exist/);
    assert.match(output, /GET \/maybes lists a created one/);
  });
}

test("links the pages in the navigation and declares them in the module of the pages", async () => {
  const [, web = "", , full = ""] = await apps;
  for (const app of [web, full]) {
    const layout = readFileSync(join(app, "views/layout.eta"), "utf8");
    assert.match(layout, /<a href="\/blog-posts">Blog posts<\/a>\n<a href="\/ratings">Ratings<\/a>\n<\/header>/);
  }
  const pages = readFileSync(join(full, "src/pages/pages.module.ts"), "utf8");
  assert.match(pages, /BlogPostsPages,\s+BlogPostsService,/);
  const module = readFileSync(join(full, "src/blog-posts/blog-posts.module.ts"), "utf8");
  assert.doesNotMatch(module, /BlogPostsPages/);
  assert.match(module, /imports: \[DataModule, AuthorsModule\]/);
});

test("gives a reference a foreign key and an index", async () => {
  const [api = ""] = await apps;
  const tables = readFileSync(join(api, "src/blog-posts/blog-posts.tables.ts"), "utf8");
  assert.match(tables, /"author_id", "text", \(column\) => column\.notNull\(\)\.references\("authors\.id"\)/);
  assert.match(tables, /createIndex\("blog_posts_second_author_id"\)/);
});
