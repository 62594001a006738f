import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { provide } from "@tenon/core";
import { cli } from "@tenon/core/cli";
import { createTestApp } from "@tenon/core/testing";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { program } from "../src/program.ts";
import { Prompts } from "../src/prompts.ts";
import { ToolModule } from "../src/tool.module.ts";
import { runTool } from "./support/tool.ts";

/** What the prompt shows, and the keys that are pressed then. */
type Step = readonly [shown: RegExp, keys: string];

const down = "\x1b[B";
const clear = "\x15"; // Ctrl-U

/** A terminal at which the keys of a step are pressed when its text appears. */
function createTerminal(steps: readonly Step[], interrupt: () => void) {
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => input });
  const output = Object.assign(new PassThrough(), { isTTY: true, columns: 0, rows: 0 });
  const rest = [...steps];
  let all = "";
  let recent = "";
  output.on("data", (chunk) => {
    all += chunk;
    recent += chunk;
    if (rest[0]?.[0].test(recent) !== true) return;
    recent = "";
    const [, keys = ""] = rest.shift() ?? [];
    setImmediate(() => {
      for (const key of keys === down ? [keys] : keys) input.write(key);
    });
  });
  return { streams: () => ({ input, output, isCI: false, interrupt }), shown: () => all };
}

async function runAtTerminal(steps: readonly Step[], argv: readonly string[]) {
  const interruption = new AbortController();
  const terminal = createTerminal(steps, () => interruption.abort());
  const app = await createTestApp(ToolModule, cli(program), {
    override: [provide(Prompts, () => new Prompts(terminal.streams))],
  });
  const result = await app.run(argv, { signal: interruption.signal });
  await app.stop();
  return { ...result, shown: terminal.shown() };
}

test("asks for name and template until the values are valid", async () => {
  const folder = temporaryFolder("prompts");
  const steps: Step[] = [
    [/Name of the application/, "../up\r"],
    [/It must be lower-case words/, `${clear}shop\r`],
    [/Template/, down],
    [/HTML pages/, down],
    [/commands/, "\r"],
  ];
  const { code, shown, stderr } = await runAtTerminal(steps, ["app", `--in=${folder}`, "--no-install"]);
  assert.equal(code, 0, stderr + shown);
  assert.ok(existsSync(join(folder, "shop/src/main.cli.ts")));
});

test("selects the default at Enter, and does not ask for what a flag gives", async () => {
  const folder = temporaryFolder("prompts");
  const steps: Step[] = [[/Template/, "\r"]];
  const { code, shown } = await runAtTerminal(steps, ["app", "--name=shop", `--in=${folder}`, "--no-install"]);
  assert.equal(code, 0, shown);
  assert.doesNotMatch(shown, /Name/);
  assert.ok(existsSync(join(folder, "shop/src/main.api.ts")));
});

test("asks nothing when the command cannot succeed", async () => {
  const folder = temporaryFolder("prompts");
  const none = await runAtTerminal([], ["g", "module", `--in=${folder}`]);
  assert.deepEqual([none.code, none.shown], [1, ""]);
  assert.match(none.stderr, /is not an application/);
  const lost = await runAtTerminal([], ["app", `--in=${join(folder, "lost")}`]);
  assert.deepEqual([lost.code, lost.shown], [1, ""]);
  await runTool(folder, "app", "--name=shop");
  const taken = await runAtTerminal([[/Name/, "shop\r"]], ["app", `--in=${folder}`]);
  assert.equal(taken.code, 1);
  assert.match(taken.stderr, /exists already/);
  assert.doesNotMatch(taken.shown, /Template/);
});

test("ends at Ctrl-C, Ctrl-D and Escape, and writes nothing", async () => {
  const folder = temporaryFolder("prompts");
  for (const [key, flags] of [
    ["\x03", []],
    ["\x04", ["--name=shop"]],
    ["\x1b", []],
  ] as const) {
    const steps: Step[] = [[/Name|Template/, key]];
    const { code, shown, stderr } = await runAtTerminal(steps, ["app", `--in=${folder}`, ...flags]);
    assert.deepEqual([code, stderr], [1, ""]);
    assert.match(shown, /tenon: interrupted, nothing was written\n$/);
  }
  assert.deepEqual(readdirSync(folder), []);
});

test("ends with exit code 2 and the usage for a missing flag without a terminal", async () => {
  const folder = temporaryFolder("prompts");
  assert.deepEqual(await runTool(folder, "app"), {
    code: 2,
    stdout: "",
    stderr: "tenon: --name is required. Usage: tenon new <folder> [--template=<api|web|cli|full>]\n",
  });
  assert.deepEqual(await runTool(folder, "g", "module"), {
    code: 2,
    stdout: "",
    stderr: "tenon: --name is required. Usage: tenon g module <name> [--type=<plain|resource>]\n",
  });
  const { code, stderr } = await runTool(folder, "app", "--name=shop", "--template=wbe");
  assert.deepEqual([code, stderr], [2, "tenon: --template must be one of api, web, cli, full\n"]);
});

test("asks for the type, the plural and the fields of a module", async () => {
  const folder = temporaryFolder("prompts");
  await runTool(folder, "app", "--name=shop", "--template=web");
  const steps: Step[] = [
    [/Name of the module/, "health\r"],
    [/Type/, down],
    [/a table, and list/, "\r"],
    [/Plural of health/, "\r"],
    [/Fields, such as/, "score:float\r"],
    [/the types are string, text/, `${clear}score:number\r`],
  ];
  const { code, shown } = await runAtTerminal(steps, ["g", "module", `--in=${join(folder, "shop")}`, "--no-install"]);
  assert.equal(code, 0, shown);
  const tables = readFileSync(join(folder, "shop/src/health/health.migrations.ts"), "utf8");
  assert.match(tables, /"score", "double precision"/);
});
