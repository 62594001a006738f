import assert from "node:assert/strict";
import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../../../../test/support/run.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { partKinds } from "../../src/generate/parts.service.ts";
import { checkStyle, checkTypes, runScriptOrFail } from "../support/generated-app.ts";
import { runTool } from "../support/tool.ts";

const folder = temporaryFolder("parts");
const templates = ["api", "web", "full"] as const;

/** Applications with every part in the module of the application and in another one. */
async function generate(template: string): Promise<string> {
  await runTool(folder, "app", `--name=${template}-app`, `--template=${template}`);
  const app = join(folder, `${template}-app`);
  symlinkSync(join(root, "node_modules"), join(app, "node_modules"));
  for (const kind of partKinds) {
    for (const [name, ...flags] of [["report"], ["mail-box", "--module=greetings"]]) {
      const { code, stderr } = await runTool(app, "g", kind, name ?? "", ...flags);
      assert.equal(code, 0, stderr);
    }
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
  }
});

test("declares parts in their module", async () => {
  const [api = ""] = await apps;
  const declared = (file: string) => readFileSync(join(api, file), "utf8");
  for (const name of ["ReportController", "ReportService", "ReportMiddleware", "ReportCommands", "ReportJobs"]) {
    assert.match(declared("src/app.module.ts"), new RegExp(`declarations: \\[[^\\]]*${name}`));
  }
  assert.match(declared("src/greetings/greetings.module.ts"), /GreetingsService,\s+MailBoxController/);
  assert.match(declared("src/greetings/greetings.module.ts"), /import { JobsModule } from "..\/jobs.module.ts"/);
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
