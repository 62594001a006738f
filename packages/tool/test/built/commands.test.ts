import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { run } from "../../../../test/support/run.ts";
import { builtTool as tool } from "../support/built-tool.ts";

// every command through the packed and unpacked tool, one after the other on one application

const shop = join(tool.folder, "shop");
const read = (file: string) => readFileSync(join(shop, file), "utf8");
const tenon = (...words: readonly string[]) => tool.run(shop, ...words);
const print = (...words: readonly string[]) => tool.print(shop, ...words);

before(async () => {
  await tool.print(tool.folder, "new", "shop", "--no-install");
});

test("tenon new and tenon app create an application", async () => {
  assert.match(await tool.print(tool.folder, "app", "--name=site", "--template=web", "--no-install"), /site is ready/);
  assert.ok(existsSync(join(tool.folder, "site/src/main.web.ts")));
  assert.ok(existsSync(join(shop, "src/main.api.ts")));
  const again = await tool.run(tool.folder, "new", "shop", "--no-install");
  assert.deepEqual([again.code, again.stdout], [1, ""]);
  assert.match(again.stderr, /^tenon: .*shop exists already and is not empty: nothing was changed\n$/);
});

test("tenon g adds a module, a resource with fields, and parts", async () => {
  const generated = [
    [["module", "--name=tag", "--type=plain"], "src/tag/tag.module.ts"],
    [["resource", "author", "--public"], "src/authors/authors.service.ts"],
    [["resource", "book", "--fields=title:string,done:boolean,author:ref", "--public"], "src/books/books.service.ts"],
    [["controller", "report"], "src/report.controller.ts"],
    [["service", "mailer", "--module=books"], "src/books/mailer.service.ts"],
    [["middleware", "timing"], "src/timing.middleware.ts"],
    [["command", "tidy"], "src/tidy.commands.ts"],
    [["job", "digest"], "src/digest.jobs.ts"],
    [["channel", "prices", "--socket"], "src/prices.channel.ts"],
  ] as const;
  for (const [words, file] of generated) {
    const printed = await print("g", ...words, "--no-install");
    assert.match(printed, new RegExp(`^created {2}${file}$`, "m"));
    assert.doesNotMatch(printed, /\\n/);
    assert.ok(existsSync(join(shop, file)));
  }
  assert.match(read("src/app.module.ts"), /TagModule,\s+AuthorsModule,\s+BooksModule,\s+LiveModule,?\s*\]/);
});

test("tenon g auth adds registration and login", async () => {
  assert.match(await print("g", "auth", "--no-install"), /Users can register and log in/);
  assert.match(read("src/app.module.ts"), /UsersModule/);
});

test("tenon check accepts what was generated, its types too", { timeout: 240_000 }, async () => {
  assert.equal(await print("check"), "no problems: src/main.api.ts, src/main.worker.ts, types\n");
});

test("tenon check fails for a broken application", async () => {
  const file = "src/report.controller.ts";
  const before = read(file);
  writeFileSync(join(shop, file), `${before}\nexport const broken = ;\n`);
  const { code, stdout, stderr } = await tenon("check");
  const json = await tenon("check", "--json");
  const routes = await tenon("routes");
  writeFileSync(join(shop, file), before);
  assert.equal(code, 1);
  assert.match(
    stdout,
    /^start: src\/report\.controller\.ts:\d+: SyntaxError: .*\n(?:.*\n)+? +> \d+ \| export const broken = ;\n/,
  );
  assert.match(stderr, /^tenon: \d+ problems?\n$/);
  assert.equal(json.code, 1);
  assert.equal(JSON.parse(json.stdout).problems[0].file, file);
  assert.equal(routes.code, 1);
  assert.match(
    routes.stderr,
    /^tenon: src\/main\.api\.ts failed to start: src\/report\.controller\.ts:\d+: SyntaxError: .*\n$/,
  );
  assert.doesNotMatch(routes.stderr, /^ {4}at /m);
});

test("tenon routes lists, audits and prints JSON", async () => {
  assert.match(
    await print("routes"),
    /^POST +\/books +BooksController\.create .*src\/books\/books\.controller\.ts:\d+$/m,
  );
  const routes = JSON.parse(await print("routes", "--json")) as { path: string; file: string }[]; // as docs/tool.md says
  assert.ok(routes.some(({ path, file }) => path === "/books/:id" && file.endsWith("books.controller.ts")));
  // anyone may write to the generated socket: nothing has been decided
  const decided = await print("routes", "--audit", "--ignore=GET /live/prices/socket");
  assert.match(decided, /^open to everyone: POST \/books [\s\S]*\nno findings\n$/m);
  const controller = "src/books/books.controller.ts";
  const before = read(controller);
  writeFileSync(join(shop, controller), before.replaceAll(/\baccess: "public",\s*/g, ""));
  const audit = await tenon("routes", "--audit");
  writeFileSync(join(shop, controller), before);
  assert.equal(audit.code, 1, audit.stdout);
  assert.match(audit.stdout, /^no guard: POST \/books \(BooksController\.create, src\/books/m);
  assert.doesNotMatch(audit.stdout, /\/docs|openapi\.json|\/health|(?<!^open to everyone: POST )\/auth\//m);
  assert.match(audit.stderr, /^tenon: \d+ findings\n$/);
});

test("tenon explain tells who provides a class", async () => {
  assert.match(await print("explain", "BooksService"), /^BooksService: declared in module "books" \(src\/books\//);
  assert.match(await print("explain"), /^BooksController +class +books$/m);
  const misspelt = await tenon("explain", "BookService");
  assert.equal(misspelt.code, 1);
  assert.match(misspelt.stderr, /Did you mean BooksService\?\n$/);
});

test("tenon migrate and tenon db run the commands of the database", async () => {
  assert.match(await print("migrate", "make", "create-labels"), /^created {2}src\/migrations\/001-create-labels\.ts$/m);
  assert.match(await print("migrate", "status"), /^001-create-labels +pending/m);
  const migration = join(shop, "src/migrations/001-create-labels.ts");
  writeFileSync(migration, readFileSync(migration, "utf8").replace("export const draft = true;\n", ""));
  assert.match(await print("migrate", "up"), /^migrated: .*001-create-labels/);
  assert.match(await print("migrate", "status"), /^001-create-labels +applied /m);
  assert.match(await print("migrate", "down"), /^reverted: 001-create-labels\n/);
  assert.match(await print("db", "seed"), /^seeded: /);
});

test("tenon openapi and tenon client write the interface", async () => {
  const document = JSON.parse(await print("openapi")) as { openapi: string; paths: object }; // an OpenAPI document
  assert.equal(document.openapi, "3.1.0");
  assert.ok("/books/{id}" in document.paths);
  assert.match(await print("openapi", "--out=openapi.json"), /^created {2}openapi\.json: \d+ operations\n$/);
  assert.match(await print("client", "--out=client.ts", "--from=openapi.json"), /^created {2}client\.ts: a client of/);
  assert.match(await print("client", "--out=client.ts"), /^unchanged {2}client\.ts/);
  assert.match(read("client.ts"), /books/);
});

test("tenon info prints versions, entry points and stores", async () => {
  const info = await print("info");
  assert.match(info, /^application +shop$/m);
  assert.match(info, /^entry points +src\/main\.api\.ts, src\/main\.worker\.ts$/m);
  assert.match(info, /^database +sqlite data\/app\.db$/m);
  assert.doesNotMatch(info, /checkout/);
});

test("tenon completion prints a script for each shell", async () => {
  for (const shell of ["bash", "zsh", "fish"]) {
    const script = await print("completion", shell);
    assert.match(script, new RegExp(`^# ?.*${shell}|^#compdef tenon\n# ${shell}`));
    assert.match(script, /tenon complete -- /);
    if (shell === "bash") {
      writeFileSync(join(tool.folder, "completion.bash"), script);
      assert.equal((await run("bash", ["-n", join(tool.folder, "completion.bash")])).stderr, "");
    }
  }
  assert.equal((await tenon("completion", "tcsh")).code, 2);
});

test("every command has a help, and --version is that of the package", async () => {
  const { version } = JSON.parse(readFileSync(join(tool.folder, "../node_modules/tenon/package.json"), "utf8"));
  assert.equal(await print("--version"), `tenon ${version}\n`);
  for (const command of ["new", "dev", "routes", "check", "explain", "g resource", "migrate up", "client"]) {
    assert.match(await print(...command.split(" "), "--help"), new RegExp(`^Usage: tenon ${command}`, "m"), command);
  }
});
