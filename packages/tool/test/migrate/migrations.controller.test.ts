import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createRealApp, shopFiles } from "../support/real-app.ts";
import { runCommand } from "../support/tool.ts";

/** The application keeps posts; its only entry point serves HTTP. */
const postsFiles = {
  "src/main.api.ts": shopFiles["src/main.api.ts"] ?? "",
  "src/data.module.ts": `import { dataModule } from "@tenon/data";

export const DataModule = dataModule({ migrateOnStart: false, seeds: [{ name: "sample", run: async () => {} }] });
`,
  "src/posts.module.ts": `import { defineModule, inject } from "@tenon/core";
import { Migrations } from "@tenon/data";
import { DataModule } from "./data.module.ts";

class Posts {
  constructor() {
    const up = (db: { schema: { createTable(name: string): { addColumn(name: string, type: "text"): { execute(): Promise<void> } } } }) =>
      db.schema.createTable("posts").addColumn("id", "text").execute();
    inject(Migrations).add([{ name: "posts-001", up }]);
  }
}
export const PostsModule = defineModule({ name: "posts", imports: [DataModule], declarations: [Posts] });
`,
  "src/app.module.ts": `import { defineModule } from "@tenon/core";
import { PostsModule } from "./posts.module.ts";

export const AppModule = defineModule({
  name: "app",
  imports: [PostsModule],
});
`,
};

/** As a developer does who has looked at it. */
function finish(folder: string, migration: string): void {
  const file = join(folder, `src/migrations/${migration}.ts`);
  const source = readFileSync(file, "utf8");
  assert.ok(source.includes("export const draft = true;\n"), source);
  writeFileSync(file, source.replace("export const draft = true;\n", ""));
}

test("migrate make, up, status and down work without an entry point for commands", async () => {
  const folder = createRealApp(postsFiles);
  const migrate = (...words: readonly string[]) => runCommand("migrate", ...words, `--in=${folder}`);
  assert.deepEqual(await migrate("make", "add-status-to-posts"), {
    code: 0,
    stdout:
      "created  src/app.migrations.ts\ncreated  src/migrations/001-add-status-to-posts.ts\nchanged  src/app.module.ts: imports DataModule; declares AppMigrations\n",
    stderr: "",
  });
  assert.match(
    readFileSync(join(folder, "src/app.module.ts"), "utf8"),
    /imports: \[PostsModule, DataModule\],\n {2}declarations: \[AppMigrations\],/,
  );
  const status = JSON.parse((await migrate("status", "--json")).stdout);
  assert.deepEqual(
    status.map(({ name, state }: { name: string; state: string }) => [name, state]),
    [
      ["posts-001", "pending"],
      ["001-add-status-to-posts", "pending"],
    ],
  );
  const draft = await migrate("up");
  assert.equal(draft.code, 1);
  assert.match(
    draft.stderr,
    /migration "001-add-status-to-posts" failed and was rolled back: it is a draft\. Complete it/,
  );
  finish(folder, "001-add-status-to-posts");
  assert.equal((await migrate("up")).stdout, "migrated: 001-add-status-to-posts\n");
  assert.equal((await migrate("down")).stdout, "reverted: 001-add-status-to-posts\n");
  const unknown = await migrate("down", "--to=nothing; rm -rf x");
  assert.equal(unknown.code, 1);
  assert.match(unknown.stderr, /^tenon: "nothing; rm -rf x" is not an applied migration, so nothing was reverted\./);
  assert.deepEqual(await migrate("make", "create-tags"), {
    code: 0,
    stdout: "created  src/migrations/002-create-tags.ts\n",
    stderr: "",
  });
  finish(folder, "002-create-tags");
  assert.equal((await migrate("up")).stdout, "migrated: 001-add-status-to-posts, 002-create-tags\n");
  assert.equal((await migrate("make", "tidy")).code, 0);
  const unwritten = await migrate("up");
  assert.equal(unwritten.code, 1);
  assert.match(
    unwritten.stderr,
    /migration "003-tidy" failed and was rolled back: write src\/migrations\/003-tidy\.ts first/,
  );
});

test("migrate status and down do not run pending migrations, although the application would at its start", async () => {
  const folder = createRealApp({
    ...postsFiles,
    "src/data.module.ts": 'import { dataModule } from "@tenon/data";\n\nexport const DataModule = dataModule({});\n',
  });
  const migrate = (...words: readonly string[]) => runCommand("migrate", ...words, `--in=${folder}`);
  await migrate("make", "create-tags");
  finish(folder, "001-create-tags");
  assert.match((await migrate("status")).stdout, /^posts-001 +pending/m);
  assert.equal((await migrate("down")).stdout, "reverted: nothing\n");
  assert.equal((await migrate("up")).stdout, "migrated: posts-001, 001-create-tags\n");
  assert.match((await migrate("down")).stdout, /^reverted: 001-create-tags\n/);
  assert.match((await migrate("status")).stdout, /^posts-001 +applied .*\n001-create-tags +pending/m);
});

test("db seed runs the seeds of the application", async () => {
  const folder = createRealApp(postsFiles);
  const seed = (...words: readonly string[]) => runCommand("db", "seed", ...words, `--in=${folder}`);
  assert.equal((await seed()).stdout, "seeded: sample\n");
  assert.equal((await seed()).stdout, "seeded: nothing\n");
  assert.equal((await seed("--again", "--only=sample")).stdout, "seeded: sample\n");
  assert.match((await seed("--only=none")).stderr, /^tenon: there is no seed "none"\. Seeds: sample\./);
});

test("commands that the application declares itself are used", async () => {
  const folder = createRealApp({
    "src/main.cli.ts": `import { createApp, defineModule } from "@tenon/core";
import { cli } from "@tenon/core/cli";
import { DatabaseCommands, dataModule } from "@tenon/data";

const data = dataModule({ database: "sqlite::memory:" });
const module = defineModule({ name: "app", imports: [data], declarations: [DatabaseCommands] });
await (await createApp(module, cli({ name: "shop" }))).run();
`,
  });
  assert.deepEqual(await runCommand("migrate", "up", `--in=${folder}`), {
    code: 0,
    stdout: "migrated: nothing\n",
    stderr: "",
  });
});

test("a command of the application with the name of another one does not stop them", async () => {
  const folder = createRealApp({
    "src/main.api.ts": `import { api, createApp, defineModule, route } from "@tenon/core";
import { dataModule } from "@tenon/data";

class Commands {
  routes() {
    return [route.command("db/seed", () => "our own")];
  }
}
const data = dataModule({ database: "sqlite::memory:" });
await (await createApp(defineModule({ name: "app", imports: [data], declarations: [Commands] }), api())).listen();
`,
  });
  const run = (...words: readonly string[]) => runCommand(...words, `--in=${folder}`);
  assert.deepEqual(await run("migrate", "up"), { code: 0, stdout: "migrated: nothing\n", stderr: "" });
  assert.match((await run("db", "seed")).stderr, / db\/seed of .+ is already declared by Commands \(module "app"\)/);
  assert.equal((await run("run", "db", "seed")).stdout, "our own\n");
});

test("an application without a database, with several, or one that fails, says so", async () => {
  const none = await runCommand("migrate", "up", `--in=${createRealApp(shopFiles)}`);
  assert.deepEqual(
    [none.code, none.stderr],
    [1, "tenon: the application has no database: no module of it is a dataModule()\n"],
  );
  const several = createRealApp({
    "src/main.ts": `import { api, createApp, defineModule } from "@tenon/core";
import { dataModule } from "@tenon/data";

const imports = [dataModule({ name: "one" }), dataModule({ name: "two" })].map((data, index) =>
  defineModule({ name: "user" + index, imports: [data] }));
await (await createApp(defineModule({ name: "app", imports }), api())).listen();
`,
  });
  assert.match((await runCommand("migrate", "up", `--in=${several}`)).stderr, /has several databases \(one, two\)/);
  const broken = createRealApp({ "src/main.ts": 'export {};\nthrow new Error("no luck");\n' });
  const failed = await runCommand("migrate", "up", `--in=${broken}`);
  assert.equal(failed.stderr, "tenon: src/main.ts:2: no luck\n");
  const idle = createRealApp({ "src/main.ts": "export {};\n" });
  assert.match(
    (await runCommand("migrate", "up", `--in=${idle}`)).stderr,
    /^tenon: the application called no createApp\(\)/,
  );
});

const badNames = [
  ...["../evil", "a/b", "a\\b", "Evil", "a b", " a", "a ", "$(touch hacked)", '"; evil', "a--b", "é", "sql`"],
  ...["", "a\nb", "a\n", "a\tb", "a\u0000b", "a\u001b[31m", "x".repeat(61), "x".repeat(5000)],
];
for (const name of badNames) {
  test(`migrate make refuses the name ${JSON.stringify(name.slice(0, 70))}`, async () => {
    const folder = createRealApp(postsFiles);
    const { code, stderr } = await runCommand("migrate", "make", name, `--in=${folder}`);
    assert.equal(code, 2);
    assert.match(
      stderr,
      /^tenon: <name> (?:must be lower-case words|contains U\+0000|of "migrate make <name>" is empty)/,
    );
    assert.deepEqual(
      readdirSync(join(folder, "src")).sort(),
      Object.keys(postsFiles)
        .map((file) => file.slice(4))
        .sort(),
    );
  });
}

test("migrate make breaks the lines of long names", async () => {
  const folder = createRealApp(postsFiles);
  const name = `add-${"c".repeat(26)}-to-${"t".repeat(26)}`;
  assert.equal((await runCommand("migrate", "make", name, `--in=${folder}`)).code, 0);
  const text = readFileSync(join(folder, `src/migrations/001-${name}.ts`), "utf8");
  assert.deepEqual(
    text.split("\n").filter((line) => line.length > 120),
    [],
  );
  assert.match(text, /dropColumn\("c{26}"\)/);
});

test("migrate make leaves a module that it cannot edit alone, and says what to add", async () => {
  const source = "export const AppModule = createModule();\n";
  const folder = createRealApp({ ...postsFiles, "src/app.module.ts": source });
  const { code, stdout } = await runCommand("migrate", "make", "create-tags", `--in=${folder}`);
  assert.equal(code, 0);
  assert.match(
    stdout,
    /src\/app\.module\.ts could not be edited and is unchanged\. Add to the module[\s\S]*declarations: \[AppMigrations\],\n/,
  );
  assert.equal(readFileSync(join(folder, "src/app.module.ts"), "utf8"), source);
});

test("migrate make leaves nothing behind when a file cannot be written", async () => {
  const folder = createRealApp(postsFiles);
  writeFileSync(join(folder, "src/migrations"), "");
  const { code, stderr } = await runCommand("migrate", "make", "create-tags", `--in=${folder}`);
  assert.equal(code, 1);
  assert.match(stderr, /^tenon: .*src\/migrations/);
  assert.equal(existsSync(join(folder, "src/app.migrations.ts")), false);
});

test("migrate needs @tenon/data", async () => {
  const folder = createRealApp(postsFiles);
  rmSync(join(folder, "node_modules"));
  for (const words of [["up"], ["make", "create-tags"]]) {
    const { code, stderr } = await runCommand("migrate", ...words, `--in=${folder}`);
    assert.equal(code, 1);
    assert.match(stderr, /^tenon: @tenon\/data is not installed in /);
  }
});
