import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { link, packPackages } from "../../../../test/support/packed-packages.ts";
import { type RunResult, root, run } from "../../../../test/support/run.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";

/** What an application has installed beside the framework, from the workspace. */
const installed = ["typescript", "swagger-ui-dist", "@types/node"];

/** The packages, built, packed and unpacked for a consumer, with the tool as an application has it. */
class BuiltTool {
  /** Applications in this folder find the packages in the node_modules next to them. */
  readonly folder: string;
  readonly #ready: Promise<unknown>;

  constructor() {
    const place = temporaryFolder("built");
    const consumer = join(place, "consumer");
    this.folder = join(consumer, "Mein Lädchen");
    for (const name of installed) link(join(root, "node_modules", name), join(consumer, "node_modules", name));
    mkdirSync(this.folder, { recursive: true });
    this.#ready = packPackages(join(place, "workspace"), consumer);
    this.#ready.catch(() => {}); // each command waits for it and fails with it
  }

  /** The words that start the binary of a package. */
  async command(name: "tenon" | "create-tenon" = "tenon"): Promise<readonly [command: string, binary: string]> {
    await this.#ready;
    return [process.execPath, join(this.folder, "../node_modules", name, "bin", `${name}.mjs`)];
  }

  /** Runs `tenon` in a folder. */
  async run(cwd: string, ...words: readonly string[]): Promise<RunResult> {
    const [command, binary] = await this.command();
    return run(command, [binary, ...words], { cwd, env: { CI: "true" }, timeout: 240_000 });
  }

  /** Runs `tenon`, which must succeed, and returns what it printed. */
  async print(cwd: string, ...words: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await this.run(cwd, ...words);
    assert.equal(code, 0, `tenon ${words.join(" ")}:\n${stdout}${stderr}`);
    return stdout;
  }
}

/** One for all test files of a process. */
export const builtTool = new BuiltTool();
