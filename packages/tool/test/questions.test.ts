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
    if (answer !== undefined) setImmediate(() => input.write(`${answer}\n`));
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

test("without a terminal a missing flag is exit code 2 with the usage", async () => {
  const folder = temporaryFolder("asked");
  assert.deepEqual(await runTool(folder, "app"), {
    code: 2,
    stdout: "",
    stderr: "tenon: --name is required. Usage: tenon app --name=<name> [--template=<api|cli>]\n",
  });
  assert.deepEqual(await runTool(folder, "g", "module", "--name=post"), {
    code: 2,
    stdout: "",
    stderr: "tenon: --type is required. Usage: tenon g module --name=<name> --type=<plain|resource>\n",
  });
  const { code, stderr } = await runTool(folder, "app", "--name=shop", "--template=web");
  assert.deepEqual([code, stderr], [2, "tenon: --template must be one of api, cli\n"]);
});
