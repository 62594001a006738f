import { after } from "node:test";
import { provide } from "@tenon/core";
import { cli } from "@tenon/core/cli";
import { createTestApp, type TestRunResult } from "@tenon/core/testing";
import { program } from "../../src/program.ts";
import { Prompts } from "../../src/prompts.ts";
import { MachineNode } from "../../src/scaffold/machine-node.ts";
import { ToolModule } from "../../src/tool.module.ts";

/** The tests show no prompts, even when they run at a terminal. */
class NoTerminal extends Prompts {
  override isTerminal(): boolean {
    return false;
  }
}

const started = createTestApp(ToolModule, cli(program), {
  override: [provide(Prompts, () => new NoTerminal()), provide(MachineNode, () => new MachineNode(""))],
});
after(async () => (await started).stop());

/** As `main.ts` does it. */
const ready = started.then((app) => {
  return app;
});

/** Runs a command of the tool in this process. */
export async function runCommand(...argv: readonly string[]): Promise<TestRunResult> {
  return (await ready).run([...argv]);
}

/** Runs the tool in this process, without npm install. */
export async function runTool(folder: string, ...argv: readonly string[]): Promise<TestRunResult> {
  return runCommand(...argv, `--in=${folder}`, "--no-install");
}
