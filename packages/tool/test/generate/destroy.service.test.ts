import assert from "node:assert/strict";
import { appendFileSync, existsSync, globSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { appTemplates } from "../../src/templates.ts";
import { runTool } from "../support/tool.ts";

const readAll = (folder: string) =>
  Object.fromEntries(
    globSync("{{src,test,views}/**/*,.env.example,compose.yaml}", { cwd: folder })
      .filter((path) => statSync(join(folder, path)).isFile())
      .sort()
      .map((path) => [path, readFileSync(join(folder, path), "utf8")]),
  );

async function generateApp(template: string): Promise<string> {
  const folder = temporaryFolder("destroy");
  await runTool(folder, "app", "--name=shop", `--template=${template}`);
  return join(folder, "shop");
}

for (const template of appTemplates) {
  test(`removes everything that was generated in a ${template} application`, async () => {
    const shop = await generateApp(template);
    await runTool(shop, "g", "resource", "author");
    const before = readAll(shop);
    const commands = [
      ["resource", "blog-post", "--fields=title:string,author:ref"],
      ["controller", "report"],
      ["job", "cleanup"],
      ["channel", "prices"],
      ["channel", "chat", "--socket"],
      ["service", "mailer", "--module=greetings"],
    ];
    for (const command of commands) assert.equal((await runTool(shop, "g", ...command)).code, 0);
    for (const [kind = "", name = ""] of commands.reverse()) {
      const { code, stderr, stdout } = await runTool(shop, "destroy", kind, name);
      assert.equal(code, 0, stderr);
      assert.equal(stdout.includes('up: (db) => db.schema.dropTable("blog_posts").execute(),'), kind === "resource");
    }
    const after = readAll(shop);
    for (const file of ["src/app.module.ts", "src/greetings/greetings.module.ts", "src/pages/pages.module.ts"]) {
      // an emptied list and the line breaks of a list that was too wide remain
      const squeeze = (text = "") => text.replace(/\n {2}declarations: \[\],/, "").replaceAll(/\s|,(?=\s*\])/g, "");
      assert.equal(squeeze(after[file]), squeeze(before[file]));
    }
    assert.equal(after["src/database/schema.ts"], before["src/database/schema.ts"]);
    assert.equal(after["views/layout.eta"], before["views/layout.eta"]);
    assert.deepEqual(Object.keys(after), Object.keys(before));
    assert.ok(!existsSync(join(shop, "src/blog-posts")));
  });
}

test("refuses to remove changed files and files that others import, unless forced", async () => {
  const shop = await generateApp("api");
  await runTool(shop, "g", "resource", "author");
  await runTool(shop, "g", "resource", "book", "--fields=author:ref");
  const imported = await runTool(shop, "destroy", "resource", "author");
  assert.equal(imported.code, 1);
  assert.match(imported.stderr, /src\/books\/books\.\w+\.ts imports src\/authors\/.*nothing was changed/);
  appendFileSync(join(shop, "src/books/books.service.ts"), "// mine\n");
  const before = readAll(shop);
  const changed = await runTool(shop, "destroy", "resource", "books");
  assert.equal(changed.code, 1);
  assert.match(changed.stderr, /books\.service\.ts was changed since it was generated/);
  assert.deepEqual(readAll(shop), before);
  assert.equal((await runTool(shop, "destroy", "resource", "books", "--force")).code, 0);
  assert.ok(!existsSync(join(shop, "src/books")));
  assert.equal((await runTool(shop, "destroy", "resource", "author")).code, 0);
  assert.equal((await runTool(shop, "destroy", "module", "greetings")).code, 0);
  assert.ok(!existsSync(join(shop, ".tenon")));
});

for (const template of appTemplates) {
  test(`removes the example of the ${template} template`, async () => {
    const shop = await generateApp(template);
    const { code, stderr } = await runTool(shop, "destroy", "module", "greetings");
    assert.equal(code, 0, stderr);
    const rest = Object.entries(readAll(shop)).filter(([path, text]) => /greetings/i.test(path + text));
    assert.deepEqual(rest, []);
  });
}

for (const template of ["api", "web", "full"]) {
  test(`removes what g auth has added to the ${template} template, unless a resource uses it`, async () => {
    const shop = await generateApp(template);
    const before = readAll(shop);
    assert.equal((await runTool(shop, "g", "auth")).code, 0);
    await runTool(shop, "g", "resource", "post", "--fields=title:string,author:ref:user");
    const used = await runTool(shop, "destroy", "auth");
    assert.equal(used.code, 1);
    assert.match(used.stderr, /src\/posts\/posts\.\w+\.ts imports src\/.*nothing was changed/);
    for (const command of [["resource", "post"], ["auth"]]) {
      const { code, stderr } = await runTool(shop, "destroy", ...command);
      assert.equal(code, 0, stderr);
    }
    const after = readAll(shop);
    // the line breaks of a list that was too wide remain
    const squeeze = (text: string) => text.replaceAll(/\s|,(?=\s*\])/g, "");
    for (const [path, text] of Object.entries(after)) assert.equal(squeeze(text), squeeze(before[path] ?? ""), path);
    assert.deepEqual(Object.keys(after), Object.keys(before));
  });
}

test("keeps a module removable after a part was declared in it", async () => {
  const shop = await generateApp("api");
  await runTool(shop, "g", "module", "--name=post", "--type=plain");
  await runTool(shop, "g", "service", "mailer", "--module=posts");
  await runTool(shop, "destroy", "service", "mailer");
  const { code, stderr } = await runTool(shop, "destroy", "module", "post");
  assert.equal(code, 0, stderr);
});

test("refuses what was not generated", async () => {
  const shop = await generateApp("api");
  for (const [kind, name, code] of [
    ["resource", "posts", 1],
    ["module", "../up", 1],
    ["service", "__proto__", 1],
    ["table", "posts", 2],
  ] as const) {
    const result = await runTool(shop, "destroy", kind, name);
    assert.deepEqual([result.code, result.stdout], [code, ""], name);
  }
});
