import { type ChildProcess, spawn } from "node:child_process";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { endsWithin } from "@tenon/core/internal";
import type { EntryPoint } from "../run/entry-point.ts";

export interface DevProcessOptions {
  readonly folder: string;
  readonly entry: EntryPoint;
  /** The arguments of the application. */
  readonly words: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Milliseconds that it gets to stop before it is killed. */
  readonly grace: number;
}

/** How a process ended: its exit code, or the signal. */
export type Exit = number | NodeJS.Signals;

/** A `.ts` file in a checkout and a `.js` file in the package. */
const preload = fileURLToPath(new URL(`./preload${extname(import.meta.url)}`, import.meta.url));

/** One run of an application. Its output is not read, so that it sees the terminal as it would without the tool. */
export class DevProcess {
  readonly #child: ChildProcess;
  readonly #grace: number;
  /** Fulfilled with true when the application listens, and with false when it ends before. */
  readonly listening: Promise<boolean>;
  readonly ended: Promise<Exit>;
  /** Where it listens. */
  url: string | undefined;
  /** What it has said about its end. */
  report = "";

  constructor({ folder, entry, words, env, grace }: DevProcessOptions) {
    this.#grace = grace;
    this.#child = spawn(process.execPath, ["--import", preload, ...entry.flags, entry.file, ...words], {
      cwd: folder,
      env,
      stdio: ["ignore", "inherit", "inherit", "ipc"],
      detached: true, // Ctrl-C would reach the application twice: from the terminal, and as the stop of this class
    });
    const child = this.#child;
    this.ended = new Promise((resolve) => {
      child.once("error", () => resolve(1));
      child.once("exit", (code, signal) => {
        const end = () => resolve(signal ?? code ?? 1);
        if (child.connected)
          child.once("disconnect", end); // after its last message
        else end();
      });
    });
    this.listening = new Promise((resolve) => {
      child.on("message", (message) => {
        const { tenon, url, text = "" } = Object(message) as Message; // from listen() or the preload, or of no interest
        if (tenon === "failed") this.report += text;
        if (tenon !== "listening") return;
        this.url = url;
        resolve(true);
      });
      void this.ended.then(() => resolve(false));
    });
  }

  /** Lets running requests end, and kills what is left after the grace period. */
  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill("SIGTERM");
    if (await endsWithin(this.ended, this.#grace)) return;
    this.#kill();
    await this.ended;
  }

  /** With the workers that it has started. */
  #kill(): void {
    try {
      if (this.#child.pid !== undefined) process.kill(-this.#child.pid, "SIGKILL");
    } catch {
      this.#child.kill("SIGKILL"); // there are no process groups on Windows
    }
  }
}

interface Message {
  readonly tenon?: unknown;
  readonly url?: string;
  readonly text?: string;
}
