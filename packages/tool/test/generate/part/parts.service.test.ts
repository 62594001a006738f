import assert from "node:assert/strict";
import { readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root, runOrFail } from "../../../../../test/support/run.ts";
import { temporaryFolder, writeFiles } from "../../../../../test/support/temporary-folder.ts";
import { partKinds, toPartClass } from "../../../src/generate/part/parts.service.ts";
import { checkStyle, checkTypes, runScriptOrFail, whileServing } from "../../support/generated-app.ts";
import { takeSnapshot } from "../../support/take-snapshot.ts";
import { runCommand, runTool } from "../../support/tool.ts";

const folder = temporaryFolder("parts");
const templates = ["api", "web", "full"] as const;

/** Applications with every part in the module of the application and in another one. */
async function generate(template: string): Promise<string> {
  await runTool(folder, "app", `--name=${template}-app`, `--template=${template}`, "--no-accounts");
  const app = join(folder, `${template}-app`);
  symlinkSync(join(root, "node_modules"), join(app, "node_modules"));
  for (const kind of partKinds) {
    for (const [name = "", ...flags] of [["report"], ["mail-box", "--module=greetings"]]) {
      const more = kind === "channel" && name === "mail-box" ? ["--socket"] : [];
      const { code, stderr } = await runTool(app, "g", kind, name, ...flags, ...more);
      assert.equal(code, 0, stderr);
    }
  }
  for (const words of [
    ["controller", "phase-1-report"],
    ["command", "import"],
    ["module", "a-b-test"],
  ]) {
    const { code, stderr } = await runTool(app, "g", ...words);
    assert.equal(code, 0, stderr);
  }
  return app;
}
const apps = Promise.all(templates.map(generate));

test("generates parts that pass lint, format and type checks", async () => {
  const all = await apps;
  await checkStyle(all);
  await checkTypes(folder, all);
});

test("generates tests of parts that pass", async () => {
  for (const app of await apps) {
    const output = await runScriptOrFail(app, "test", [], { NODE_OPTIONS: "--test-isolation=none" });
    assert.match(output, /GET \/report responds with a message/);
    assert.match(output, /MailBoxMiddleware calls the handler/);
    assert.match(output, /mail-box\/run is enqueued and runs/);
    assert.match(output, /GET \/live\/report streams what is published/);
    assert.match(output, /a client of \/live\/mail-box\/socket publishes to all/);
  }
});

test("names the views of pages, whose folders the names of the classes do not always give", async () => {
  const [, web = ""] = await apps;
  await whileServing(web, "start", async (url) => {
    for (const [path, text] of [
      ["/phase-1-report", "phase 1 report: ready"],
      ["/a-b-test", "a b test: ready"],
    ] as const) {
      const response = await fetch(`${url}${path}`, { headers: { accept: "text/html" } });
      const html = await response.text();
      assert.ok(response.status === 200 && html.includes(`<p>${text}</p>`), html);
    }
  });
});

test("declares parts in their module", async () => {
  const [api = ""] = await apps;
  const declared = (file: string) => readFileSync(join(api, file), "utf8");
  for (const kind of partKinds) {
    const name = toPartClass(kind, "report");
    assert.match(declared("src/app.module.ts"), new RegExp(`declarations: \\[[^\\]]*${name}`));
  }
  assert.match(declared("src/greetings/greetings.module.ts"), /GreetingsService,\s+MailBoxController/);
  assert.match(declared("src/greetings/greetings.module.ts"), /import { JobsModule } from "..\/jobs.module.ts"/);
  assert.match(declared("src/greetings/greetings.module.ts"), /imports: \[JobsModule, LiveModule\]/);
});

test("pages use a service of a feature module that has dependencies of its own", async () => {
  const [, , full = ""] = await apps;
  const read = (file: string) => readFileSync(join(full, file), "utf8");
  for (const name of ["MailBoxController", "MailBoxCommands", "GreetingsController"]) {
    assert.match(read("src/app.module.ts"), new RegExp(`declarations: \\[[^\\]]*${name}`));
  }
  assert.doesNotMatch(read("src/greetings/greetings.module.ts"), /Controller|Commands/);
  const service = `import { inject } from "@tenon/core";
import { MailBoxService } from "./mail-box.service.ts";

export class GreetingsService {
  readonly #box = inject(MailBoxService);

  greet(name: string): string {
    return this.#box.describe().slice(0, 0).concat("Hello, ", name, "!");
  }
}
`;
  writeFiles(full, { "src/greetings/greetings.service.ts": service });
  const files = ["greetings.pages", "greetings", "greetings.commands"].map((name) => `test/${name}.test.ts`);
  await runOrFail(process.execPath, ["--conditions=@tenon/source", "--test", ...files], { cwd: full });
});

test("adds the package of a channel once, and a WebSocket only where it is asked for", async () => {
  for (const app of await apps) {
    const read = (file: string) => readFileSync(join(app, file), "utf8");
    const { dependencies } = JSON.parse(read("package.json")) as { dependencies: Record<string, string> }; // from the template
    assert.equal(dependencies["@tenon/live"], dependencies["@tenon/core"]?.replace(/core$/, "live"));
    assert.match(read("src/live.module.ts"), /liveModule\(DataModule\)/);
    assert.doesNotMatch(read("src/report.channel.ts"), /socket/);
    assert.match(read("src/greetings/mail-box.channel.ts"), /route\.get\(\s*"\/live\/mail-box\/socket"/);
  }
});

test("a channel works without a data module", async () => {
  const place = temporaryFolder("parts");
  await runTool(place, "app", "--name=shop");
  const app = join(place, "shop");
  rmSync(join(app, "src/data.module.ts"));
  assert.equal((await runTool(app, "g", "channel", "prices")).code, 0);
  assert.match(readFileSync(join(app, "src/live.module.ts"), "utf8"), /= liveModule\(\);/);
});

test("installs the package of a channel first, and changes nothing when that fails", async () => {
  const app = temporaryFolder("parts");
  writeFiles(app, {
    "package.json": '{ "name": "shop", "dependencies": { "@tenon/core": "^999.0.0" } }\n',
    ".npmrc": "registry=http://127.0.0.1:1/\nfetch-retries=0\n", // nothing listens there
    "src/app.module.ts":
      'import { defineModule } from "@tenon/core";\nexport const AppModule = defineModule({ name: "app" });\n',
  });
  const before = takeSnapshot(app);
  const { code, stdout, stderr } = await runCommand("g", "channel", "prices", "--no-socket", `--in=${app}`);
  assert.deepEqual([code, stdout], [1, "running  npm install\n"]);
  assert.match(stderr, /^tenon: npm install failed with exit code \d+: nothing was changed$/m);
  assert.deepEqual(takeSnapshot(app), before);
});

test("a name may be a word that TypeScript reserves", async () => {
  const [api = ""] = await apps;
  assert.match(readFileSync(join(api, "src/import.commands.ts"), "utf8"), /^export class ImportCommands \{$/m);
  const { code, stderr } = await runTool(api, "g", "module", "import");
  assert.deepEqual([code, stderr], [2, 'tenon: --name must not be the reserved word "import"\n']);
});

test("refuses bad names, unknown modules and files that exist, and writes nothing", async () => {
  const [api = ""] = await apps;
  const bad = await runTool(api, "g", "service", "../up");
  assert.deepEqual([bad.code, bad.stdout], [2, ""]);
  assert.equal((await runTool(api, "g", "service", "x", "--module=../up")).code, 2);
  const lost = await runTool(api, "g", "service", "x", "--module=lost");
  assert.equal(lost.code, 1);
  assert.match(lost.stderr, /there is no module src\/lost\/lost\.module\.ts/);
  const twice = await runTool(api, "g", "service", "report");
  assert.equal(twice.code, 1);
  assert.match(twice.stderr, /src\/report\.service\.ts exists already: nothing was changed/);
  const none = await runTool(api, "g", "service");
  assert.deepEqual([none.code, none.stderr], [2, 'tenon: "g service" needs <name>\n']);
});

test("refuses a name whose class another part in the folder has, and prints one line for each file", async () => {
  const place = temporaryFolder("parts");
  await runTool(place, "app", "--name=shop");
  const app = join(place, "shop");
  assert.equal(
    (await runTool(app, "g", "service", "item3")).stdout,
    "created  src/item3.service.ts\ncreated  test/item3.service.test.ts\nchanged  src/app.module.ts: declares Item3Service\n",
  );
  const { code, stderr } = await runTool(app, "g", "service", "item-3");
  assert.equal(code, 1);
  assert.equal(stderr, "tenon: item-3 and src/item3.service.ts would have the same class name: nothing was changed\n");
});
