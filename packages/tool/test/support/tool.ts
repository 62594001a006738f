import { after } from "node:test";
import { provide } from "@tenon/core";
import { cli } from "@tenon/core/cli";
import { createTestApp, type TestRunResult } from "@tenon/core/testing";
import { Questions } from "../../src/questions.ts";
import { ToolModule } from "../../src/tool.module.ts";

/** At no terminal, whatever the tests run in. */
class NoTerminal extends Questions {
  override isTerminal(): boolean {
    return false;
  }
}

const started = createTestApp(ToolModule, cli({ name: "tenon" }), {
  override: [provide(Questions, () => new NoTerminal())],
});
after(async () => (await started).stop());

/** The tool in this process, without the install. */
export async function runTool(folder: string, ...argv: readonly string[]): Promise<TestRunResult> {
  return (await started).run([...argv, `--in=${folder}`, "--no-install"]);
}
