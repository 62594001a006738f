import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { provide } from "@tenon/core";
import { cli } from "@tenon/core/cli";
import { createTestApp } from "@tenon/core/testing";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { Questions } from "../src/questions.ts";
import { ToolModule } from "../src/tool.module.ts";
import { runTool } from "./support/tool.ts";

/** Somebody who types an answer whenever a question appears. */
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
  return { streams: () => ({ input, output }), said: () => text };
}

async function runAtTerminal(answers: readonly string[], argv: readonly string[]) {
  const terminal = createTerminal(answers);
  const app = await createTestApp(ToolModule, cli({ name: "tenon" }), {
    override: [provide(Questions, () => new Questions(terminal.streams))],
  });
  const result = await app.run(argv, { signal: AbortSignal.timeout(10_000) });
  await app.stop();
  return { ...result, said: terminal.said() };
}

test("at a terminal it asks for name and template until it can take the answers", async () => {
  const folder = temporaryFolder("asked");
  const { code, said } = await runAtTerminal(["../up", "shop", "cli"], ["app", `--in=${folder}`, "--no-install"]);
  assert.equal(code, 0, said);
  assert.match(said, /It must be lower-case words/);
  assert.ok(existsSync(join(folder, "shop/src/main.cli.ts")));
});

test("at a terminal an empty answer takes the default, and a flag asks nothing", async () => {
  const folder = temporaryFolder("asked");
  const { code, said } = await runAtTerminal([""], ["app", "--name=shop", `--in=${folder}`, "--no-install"]);
  assert.equal(code, 0, said);
  assert.doesNotMatch(said, /Name/);
  assert.ok(existsSync(join(folder, "shop/src/main.api.ts")));
});

test("at a terminal nothing is asked for what cannot be done anyway", async () => {
  const folder = temporaryFolder("asked");
  const none = await runAtTerminal([], ["g", "module", `--in=${folder}`]);
  assert.deepEqual([none.code, none.said], [1, ""]);
  assert.match(none.stderr, /is no application/);
  const lost = await runAtTerminal([], ["app", `--in=${join(folder, "lost")}`]);
  assert.deepEqual([lost.code, lost.said], [1, ""]);
  await runTool(folder, "app", "--name=shop");
  const taken = await runAtTerminal(["shop"], ["app", `--in=${folder}`]);
  assert.equal(taken.code, 1);
  assert.match(taken.stderr, /exists already/);
  assert.doesNotMatch(taken.said, /Template/);
});

test("at a terminal Ctrl-D is no answer: exit code 2 with the usage, on a line of its own", async () => {
  const folder = temporaryFolder("asked");
  for (const flags of [[], ["--name=shop"]]) {
    const { code, stderr, said } = await runAtTerminal(["\x04"], ["app", `--in=${folder}`, ...flags]);
    assert.equal(code, 2);
    assert.match(stderr, /is required\. Usage: tenon app/);
    assert.ok(said.endsWith("\n"));
  }
  assert.ok(!existsSync(join(folder, "shop")));
});

test("without a terminal a missing flag is exit code 2 with the usage", async () => {
  const folder = temporaryFolder("asked");
  assert.deepEqual(await runTool(folder, "app"), {
    code: 2,
    stdout: "",
    stderr: "tenon: --name is required. Usage: tenon app --name=<name> [--template=<api|web|cli|full>]\n",
  });
  assert.deepEqual(await runTool(folder, "g", "module", "--name=post"), {
    code: 2,
    stdout: "",
    stderr: "tenon: --type is required. Usage: tenon g module --name=<name> --type=<plain|resource>\n",
  });
  const { code, stderr } = await runTool(folder, "app", "--name=shop", "--template=wbe");
  assert.deepEqual([code, stderr], [2, "tenon: --template must be one of api, web, cli, full\n"]);
});
