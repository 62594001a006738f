import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { provide } from "@tenon/core";
import { cli } from "@tenon/core/cli";
import { createTestApp } from "@tenon/core/testing";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { Prompts } from "../src/prompts.ts";
import { ToolModule } from "../src/tool.module.ts";
import { runTool } from "./support/tool.ts";

/** A terminal that types the next answer whenever a prompt appears. */
function createTerminal(answers: readonly string[]) {
  const input = Object.assign(new PassThrough(), { isTTY: true });
  const output = Object.assign(new PassThrough(), { isTTY: true });
  const rest = [...answers];
  let text = "";
  output.on("data", (chunk) => {
    text += chunk;
    const answer = /: (?:\x1b\[\d+G)?$/.test(text) ? rest.shift() : undefined;
    if (answer !== undefined) setImmediate(() => input.write(answer === "\x04" ? answer : `${answer}\n`));
  });
  return { streams: () => ({ input, output }), shown: () => text };
}

async function runAtTerminal(answers: readonly string[], argv: readonly string[]) {
  const terminal = createTerminal(answers);
  const app = await createTestApp(ToolModule, cli({ name: "tenon" }), {
    override: [provide(Prompts, () => new Prompts(terminal.streams))],
  });
  const result = await app.run(argv, { signal: AbortSignal.timeout(10_000) });
  await app.stop();
  return { ...result, shown: terminal.shown() };
}

test("prompts for name and template at a terminal until the values are valid", async () => {
  const folder = temporaryFolder("prompts");
  const { code, shown } = await runAtTerminal(["../up", "shop", "cli"], ["app", `--in=${folder}`, "--no-install"]);
  assert.equal(code, 0, shown);
  assert.match(shown, /It must be lower-case words/);
  assert.ok(existsSync(join(folder, "shop/src/main.cli.ts")));
});

test("takes the default for an empty line, and shows no prompt for a given flag", async () => {
  const folder = temporaryFolder("prompts");
  const { code, shown } = await runAtTerminal([""], ["app", "--name=shop", `--in=${folder}`, "--no-install"]);
  assert.equal(code, 0, shown);
  assert.doesNotMatch(shown, /Name/);
  assert.ok(existsSync(join(folder, "shop/src/main.api.ts")));
});

test("shows no prompt when the command cannot succeed", async () => {
  const folder = temporaryFolder("prompts");
  const none = await runAtTerminal([], ["g", "module", `--in=${folder}`]);
  assert.deepEqual([none.code, none.shown], [1, ""]);
  assert.match(none.stderr, /is not an application/);
  const lost = await runAtTerminal([], ["app", `--in=${join(folder, "lost")}`]);
  assert.deepEqual([lost.code, lost.shown], [1, ""]);
  await runTool(folder, "app", "--name=shop");
  const taken = await runAtTerminal(["shop"], ["app", `--in=${folder}`]);
  assert.equal(taken.code, 1);
  assert.match(taken.stderr, /exists already/);
  assert.doesNotMatch(taken.shown, /Template/);
});

test("ends with exit code 2 and the usage after Ctrl-D", async () => {
  const folder = temporaryFolder("prompts");
  for (const flags of [[], ["--name=shop"]]) {
    const { code, stderr, shown } = await runAtTerminal(["\x04"], ["app", `--in=${folder}`, ...flags]);
    assert.equal(code, 2);
    assert.match(stderr, /is required\. Usage: tenon new/);
    assert.ok(shown.endsWith("\n"));
  }
  assert.ok(!existsSync(join(folder, "shop")));
});

test("ends with exit code 2 and the usage for a missing flag without a terminal", async () => {
  const folder = temporaryFolder("prompts");
  assert.deepEqual(await runTool(folder, "app"), {
    code: 2,
    stdout: "",
    stderr: "tenon: --name is required. Usage: tenon new <name> [--template=<api|web|cli|full>]\n",
  });
  assert.deepEqual(await runTool(folder, "g", "module", "--name=post"), {
    code: 2,
    stdout: "",
    stderr: "tenon: --type is required. Usage: tenon g module --name=<name> --type=<plain|resource>\n",
  });
  const { code, stderr } = await runTool(folder, "app", "--name=shop", "--template=wbe");
  assert.deepEqual([code, stderr], [2, "tenon: --template must be one of api, web, cli, full\n"]);
});

test("selects by number or by name, and asks for the plural and the fields of a resource", async () => {
  const folder = temporaryFolder("prompts");
  const app = await runAtTerminal(["shop", "9", "2"], ["app", `--in=${folder}`, "--no-install"]);
  assert.equal(app.code, 0, app.shown);
  assert.match(app.shown, / {2}1 {2}api {2}JSON over HTTP\n {2}2 {2}web {2}HTML pages\n/);
  assert.match(app.shown, /It must be one of api, web, cli, full/);
  assert.ok(existsSync(join(folder, "shop/src/main.web.ts")));
  const place = [`--in=${join(folder, "shop")}`, "--no-install"];
  const answers = ["health", "2", "health", "score:float", "score:number"];
  const { code, shown } = await runAtTerminal(answers, ["g", "module", ...place]);
  assert.equal(code, 0, shown);
  assert.match(shown, /Plural of health \(health\): /);
  assert.match(shown, /the types are string, text/);
  const tables = readFileSync(join(folder, "shop/src/health/health.tables.ts"), "utf8");
  assert.match(tables, /"score", "double precision"/);
});
