import assert from "node:assert/strict";
import { join } from "node:path";
import { type Listening, type Started, startListening } from "./listening.ts";
import { root } from "./run.ts";

interface Terminal {
  readonly program: Started;
  /** Undefined while it is paused. */
  listening: Listening | undefined;
}

/** Applications that run while a page is followed, by the port that the page writes. They listen on other ones. */
export class Terminals {
  readonly #opened = new Map<string, Terminal>();

  /** Returns what was printed, with the port of the page. */
  async start(port: string, program: Started): Promise<string> {
    const listening = await startListening({ ...program, timeout: 600_000 });
    this.#opened.set(port, { program, listening });
    return listening.output.replaceAll(listening.url, `http://127.0.0.1:${port}`);
  }

  /** Stops all until the next request. A restart by `tenon dev` would not say which of several changes it has seen. */
  async pause(): Promise<void> {
    for (const terminal of this.#opened.values()) {
      const { listening } = terminal;
      terminal.listening = undefined;
      await listening?.stop();
    }
  }

  async close(): Promise<void> {
    await this.pause();
    this.#opened.clear();
  }

  /** The text with the real address of what a page calls `http://127.0.0.1:8080`. */
  async toReal(text: string): Promise<string> {
    const [written = "", port = ""] = /http:\/\/127\.0\.0\.1:(\d+)/.exec(text) ?? [];
    const terminal = this.#opened.get(port);
    assert.ok(terminal !== undefined, `nothing runs at the address in ${text}`);
    terminal.listening ??= await startListening({ ...terminal.program, timeout: 600_000 });
    return text.replace(written, terminal.listening.url);
  }
}

/** `tenon dev` in the folder of an application, on any port. */
export function toDev(folder: string, words: readonly string[]): Started {
  const main = join(root, "packages/tool/src/main.ts");
  const ready = /^ {2}url +(http\S+)\n(?: {2}.+\n)*\n/m; // the banner
  return { args: [main, "dev", "--port=0", ...words], folder, ready, exitCode: 143 };
}
