import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";

/** `script` of util-linux; that of macOS and BSD has other flags. */
export const hasPseudoTerminal = /util-linux/.test(
  spawnSync("script", ["--version"], { encoding: "utf8" }).stdout ?? "",
);

/** A program that runs at a terminal of its own. */
export class AtTerminal {
  readonly #child: ChildProcess;
  readonly #closed: Promise<[code: number | null]>;
  #onText: () => void = () => {};
  #start = 0;
  /** All that the terminal has shown, without colours and movements of the cursor. */
  shown = "";

  constructor(words: readonly string[], cwd: string, env: Readonly<Record<string, string>> = {}) {
    const { NODE_OPTIONS: _, NODE_TEST_CONTEXT: __, LOG_LEVEL: ___, CI: ____, ...inherited } = process.env;
    const command = words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
    this.#child = spawn("script", ["-qefc", command, "/dev/null"], {
      cwd,
      env: { ...inherited, TERM: "xterm", ...env },
      stdio: ["pipe", "pipe", "inherit"],
    });
    this.#closed = once(this.#child, "close") as Promise<[number | null]>; // as node:child_process says
    this.#child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.shown += text.replaceAll(/\x1b\[[\d;?]*[A-Za-z]/g, "").replaceAll("\r", "");
      this.#onText();
    });
  }

  /** Presses the keys when the text appears, after what the step before has waited for. */
  async press(shown: RegExp, keys: string): Promise<void> {
    const ended = this.#closed.then(() => {
      throw new Error(`the program ended without ${shown}:\n${this.shown}`);
    });
    for (;;) {
      const found = shown.exec(this.shown.slice(this.#start));
      if (found !== null) {
        this.#start += found.index + found[0].length;
        ended.catch(() => {});
        this.#child.stdin?.write(keys);
        return;
      }
      await Promise.race([new Promise<void>((resolve) => (this.#onText = resolve)), ended]);
    }
  }

  /** The exit code. */
  async end(): Promise<number | null> {
    const [code] = await this.#closed;
    return code;
  }
}
