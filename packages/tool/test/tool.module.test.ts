import assert from "node:assert/strict";
import {
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root, run } from "../../../test/support/run.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { readOrigin } from "../src/scaffold/origin.ts";
import { runTool } from "./support/tool.ts";

test("overwrites nothing: a second run fails and names the existing path", async () => {
  const folder = temporaryFolder("twice");
  await runTool(folder, "app", "--name=shop");
  const shop = join(folder, "shop");
  assert.deepEqual(await runTool(folder, "app", "--name=shop", "--template=cli"), {
    code: 1,
    stdout: "",
    stderr: `tenon: ${shop} exists already and is not empty: nothing was changed\n`,
  });
  assert.ok(!existsSync(join(shop, "src/main.cli.ts")));
  await runTool(shop, "g", "module", "--name=posts", "--type=plain");
  const before = readFileSync(join(shop, "src/app.module.ts"), "utf8");
  assert.deepEqual(await runTool(shop, "g", "module", "--name=posts", "--type=resource"), {
    code: 1,
    stdout: "",
    stderr: "tenon: src/posts exists already: nothing was changed\n",
  });
  assert.equal(readFileSync(join(shop, "src/app.module.ts"), "utf8"), before);
  assert.ok(!existsSync(join(shop, "src/posts/posts.dto.ts")));
});

test("refuses a resource when src/data.module.ts declares no DataModule", async () => {
  const folder = temporaryFolder("shared");
  await runTool(folder, "app", "--name=shop");
  const shop = join(folder, "shop");
  writeFileSync(join(shop, "src/data.module.ts"), "// const DataModule\nexport const Stores = 1;\n");
  const { code, stderr } = await runTool(shop, "g", "module", "--name=post", "--type=resource");
  assert.equal(code, 1);
  assert.match(stderr, /declares no DataModule/);
  assert.ok(!existsSync(join(shop, "src/posts")));
});

test("refuses to create an application in a folder that does not exist", async () => {
  const folder = temporaryFolder("none");
  writeFileSync(join(folder, "file"), "");
  for (const place of ["lost", "file", "file/below"]) {
    const { code, stderr } = await runTool(join(folder, place), "app", "--name=shop");
    assert.equal(code, 1);
    assert.match(stderr, /there is no folder/);
  }
  if (existsSync("/proc/self")) assert.equal((await runTool("/proc", "app", "--name=shop")).code, 1);
});

test("refuses to create a module outside an application", async () => {
  const folder = temporaryFolder("none");
  const { code, stderr } = await runTool(folder, "g", "module", "--name=post", "--type=plain");
  assert.equal(code, 1);
  assert.match(stderr, /is not an application/);
});

test("treats a dangling symbolic link as existing, and writes nothing to its target", async () => {
  const folder = temporaryFolder("links");
  await runTool(folder, "app", "--name=shop");
  symlinkSync(join(folder, "elsewhere"), join(folder, "other"));
  symlinkSync(join(folder, "elsewhere"), join(folder, "shop/src/posts"));
  assert.equal((await runTool(folder, "app", "--name=other")).code, 1);
  assert.equal((await runTool(join(folder, "shop"), "g", "module", "--name=posts", "--type=plain")).code, 1);
  assert.ok(!existsSync(join(folder, "elsewhere")));
});

test("leaves an app.module.ts that it cannot edit as it is, and prints the lines to add", async () => {
  const folder = temporaryFolder("unclear");
  await runTool(folder, "app", "--name=shop");
  const shop = join(folder, "shop");
  const source = "export const AppModule = createMyModule();\n";
  writeFileSync(join(shop, "src/app.module.ts"), source);
  const { code, stdout } = await runTool(shop, "generate", "module", "--name=blog-post", "--type=plain");
  assert.equal(code, 0);
  assert.ok(stdout.includes('import { BlogPostModule } from "./blog-post/blog-post.module.ts";'), stdout);
  assert.ok(existsSync(join(shop, "src/blog-post/blog-post.module.ts")));
  assert.equal(readFileSync(join(shop, "src/app.module.ts"), "utf8"), source);
});

test("prints each file and the next commands to run", async () => {
  const folder = temporaryFolder("printed");
  const { stdout } = await runTool(folder, "app", "--name=shop");
  assert.match(stdout, /^created {2}shop\/\.nvmrc\ncreated {2}shop\/AGENTS\.md\n/m);
  const shop = join(folder, "shop"); // absolute, because it is not below the current folder
  assert.ok(
    stdout.endsWith(`\nshop is ready. Next:\n  cd ${shop}\n  npm install\n  npm run dev\n  npm test\n`),
    stdout,
  );
  rmSync(join(shop, "src/data.module.ts"));
  const manifest = readFileSync(join(shop, "package.json"), "utf8");
  writeFileSync(join(shop, "package.json"), manifest.replace(/ *"@tenon\/data": .*\n/, ""));
  const module = await runTool(shop, "g", "module", "--name=post", "--type=resource");
  assert.match(module.stdout, /^created {2}src\/data\.module\.ts$/m);
  assert.match(module.stdout, /^changed {2}package\.json: depends on @tenon\/data$/m);
  const second = await runTool(shop, "g", "module", "--name=page", "--type=resource");
  assert.doesNotMatch(second.stdout, /data\.module|package\.json/);
});

test("tenon new takes the name as a word, and shows how when it is missing", async () => {
  const folder = temporaryFolder("named");
  const { code, stdout } = await runTool(folder, "new", "shop", "--template=cli");
  assert.equal(code, 0);
  assert.match(stdout, /shop is ready/);
  assert.ok(existsSync(join(folder, "shop/src/main.cli.ts")));
  assert.equal((await runTool(folder, "app", "stall", "--template=cli")).code, 0);
  assert.ok(existsSync(join(folder, "stall/src/main.cli.ts")));
  const missing = await runTool(folder, "new");
  assert.equal(missing.code, 2);
  assert.match(missing.stderr, /Usage: tenon new <folder> \[--template=<api\|web\|cli\|full>\]/);
});

test("tenon new takes a path, and creates the folders that are missing", async () => {
  const folder = temporaryFolder("paths");
  const { stdout } = await runTool(folder, "new", "./apps/shop");
  assert.match(stdout, /^created {2}shop\/package\.json$/m);
  assert.match(readFileSync(join(folder, "apps/shop/package.json"), "utf8"), /^ {2}"name": "shop",$/m);
  assert.equal((await runTool(join(folder, "apps"), "new", "../stall")).code, 0);
  assert.ok(existsSync(join(folder, "stall/package.json")));
  const hostile = await runTool(folder, "new", "$(touch x)/shop");
  assert.ok(hostile.stdout.includes(`  cd '${join(folder, "$(touch x)/shop")}'\n`), "the shell runs nothing of it");
  for (const path of ["apps/My Shop", "apps/..", "a\n/shop", "apps/__proto__"]) {
    const { code, stdout } = await runTool(folder, "new", path);
    assert.ok(code !== 0 && stdout === "", path);
  }
  assert.deepEqual(readdirSync(folder).sort(), ["$(touch x)", "apps", "stall"]);
});

test("tenon new . fills a folder that has only hidden files, and takes the name from it", async () => {
  const folder = join(temporaryFolder("here"), "shop");
  mkdirSync(join(folder, ".git"), { recursive: true });
  assert.equal((await runTool(folder, "new", ".")).code, 0);
  assert.match(readFileSync(join(folder, "package.json"), "utf8"), /^ {2}"name": "shop",$/m);
  const again = await runTool(folder, "new", ".");
  assert.deepEqual(
    [again.code, again.stderr],
    [1, `tenon: ${folder} exists already and is not empty: nothing was changed\n`],
  );

  const other = join(temporaryFolder("here"), "Mein Lädchen");
  mkdirSync(other);
  const refused = await runTool(other, "new", ".");
  assert.equal(refused.code, 2);
  assert.match(
    refused.stderr,
    /^tenon: --name is required, because the name of the folder cannot be .* lower-case words/,
  );
  writeFileSync(join(other, ".gitignore"), "mine\n");
  const taken = await runTool(other, "new", ".", "--name=shop");
  assert.deepEqual([taken.code, taken.stderr], [1, "tenon: .gitignore exists already: nothing was changed\n"]);
  rmSync(join(other, ".gitignore"));
  assert.equal((await runTool(other, "new", ".", "--name=shop")).code, 0);
  assert.match(readFileSync(join(other, "package.json"), "utf8"), /^ {2}"name": "shop",$/m);
});

test("quotes a folder with spaces in the next commands", async () => {
  const folder = join(temporaryFolder("spaces"), "Mein Lädchen");
  mkdirSync(folder);
  const { stdout } = await runTool(folder, "new", "shop");
  assert.ok(stdout.includes(`  cd "${join(folder, "shop")}"\n`), stdout);
});

test("prints the commands of a new module as next steps", async () => {
  const folder = temporaryFolder("steps");
  await runTool(folder, "app", "--name=tool", "--template=cli");
  await runTool(folder, "app", "--name=all", "--template=full");
  const endOf = async (app: string, type: string) => {
    const { stdout } = await runTool(join(folder, app), "g", "module", `--name=${type}-post`, `--type=${type}`);
    return stdout.split("Next:\n")[1];
  };
  assert.equal(await endOf("tool", "plain"), "  npm test\n  npm start -- plain-post\n");
  assert.equal(await endOf("tool", "resource"), "  npm test\n  npm start -- resource-posts list\n");
  assert.equal(await endOf("all", "resource"), "  npm test\n  npm start\n  npm run cli -- resource-posts list\n");
});

test("generates the handlers that the entry points of the application serve", async () => {
  const folder = temporaryFolder("kinds");
  await runTool(folder, "app", "--name=shop");
  const shop = join(folder, "shop");
  const main = (name: string) => join(shop, `src/main.${name}.ts`);
  const rolesOf = async (name: string, ...entries: readonly string[]) => {
    for (const old of ["api", "web", "cli"]) rmSync(main(old), { force: true });
    for (const entry of entries) writeFileSync(main(entry), "");
    const { code, stderr } = await runTool(shop, "g", "module", `--name=${name}`, "--type=resource");
    assert.equal(code, 0, stderr);
    const files = readdirSync(join(shop, "src", name)).map((file) => file.split(".")[1] ?? "");
    return files.filter((role) => ["controller", "pages", "commands"].includes(role)).sort();
  };
  assert.deepEqual(await rolesOf("ones", "api", "web"), ["controller"]);
  assert.deepEqual(await rolesOf("twos", "web", "cli"), ["commands", "pages"]);
  assert.deepEqual(await rolesOf("threes"), ["controller"]);
  const pages = readFileSync(join(shop, "src/twos/twos.module.ts"), "utf8");
  assert.match(pages, /declarations: \[TwosPages, TwosCommands, TwosService\]/);
  assert.doesNotMatch(pages, /TwosController/);
});

test("refuses a module named assets where /assets serves the files of pages", async () => {
  const folder = temporaryFolder("assets");
  await runTool(folder, "app", "--name=site", "--template=web");
  await runTool(folder, "app", "--name=shop", "--template=api");
  const refused = await runTool(join(folder, "site"), "g", "module", "--name=assets", "--type=plain");
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /\/assets is the path of the assets of pages/);
  assert.equal((await runTool(join(folder, "shop"), "g", "module", "--name=assets", "--type=plain")).code, 0);
});

test("refuses what would be served at the path of the docs page, and writes nothing", async () => {
  const folder = temporaryFolder("docs");
  await runTool(folder, "app", "--name=site", "--template=web");
  await runTool(folder, "app", "--name=shop", "--template=full");
  const before = globSync("**/*", { cwd: join(folder, "shop") });
  for (const words of [
    ["resource", "doc"],
    ["module", "--name=docs", "--type=plain"],
    ["controller", "docs"],
  ]) {
    const { code, stderr } = await runTool(join(folder, "shop"), "g", ...words);
    assert.deepEqual([code, stderr], [1, "tenon: /docs is the path of the docs page: nothing was changed\n"]);
  }
  assert.deepEqual(globSync("**/*", { cwd: join(folder, "shop") }), before);
  assert.equal((await runTool(join(folder, "site"), "g", "resource", "doc")).code, 0);
});

test("runs as a process", async () => {
  const main = join(root, "packages/tool/src/main.ts");
  const { code, stdout } = await run(process.execPath, ["--conditions=@tenon/source", main, "--version"]);
  assert.equal(code, 0);
  assert.ok(stdout.endsWith(`${readOrigin().version}\n`), stdout);
  const missing = await run(process.execPath, ["--conditions=@tenon/source", main, "app"]);
  assert.equal(missing.code, 2, missing.stderr);
});
