import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { endWithUs } from "../children.ts";
import { pinned } from "../cores.ts";
import { processorTimeOf } from "../server.ts";

export interface LiveChildOptions {
  /** In this folder. */
  readonly file: string;
  readonly args?: readonly string[];
  readonly role: "server" | "load";
  /** Writes a CPU profile under this name. */
  readonly profile?: string | undefined;
}

const profiles = fileURLToPath(new URL("../../results/profiles", import.meta.url));

/** A process of this measurement on a core of its own; it is asked by messages, one after the other. */
export class LiveChild {
  readonly #child: ChildProcess;
  readonly #exit: Promise<unknown>;
  #said = "";

  private constructor(child: ChildProcess) {
    this.#child = endWithUs(child);
    this.#exit = once(child, "exit");
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#said = (this.#said + text).slice(-2000);
    });
  }

  /** Starts it, and returns it with its first message. */
  static async start<T>({ file, args = [], role, profile }: LiveChildOptions): Promise<[child: LiveChild, first: T]> {
    if (profile !== undefined) mkdirSync(profiles, { recursive: true });
    const flags =
      profile === undefined
        ? []
        : ["--cpu-prof", `--cpu-prof-dir=${profiles}`, `--cpu-prof-name=${profile}.cpuprofile`];
    const path = fileURLToPath(new URL(file, import.meta.url));
    const [command, ...words] = pinned(role, [process.execPath, "--conditions=@tenon/source", ...flags, path, ...args]);
    const child = new LiveChild(
      spawn(command, words, {
        stdio: ["ignore", "ignore", "pipe", "ipc"],
        env: { ...process.env, NODE_ENV: "production" },
      }),
    );
    return [child, await child.#next<T>()];
  }

  /** Seconds of processor time so far. */
  get processorTime(): number {
    return processorTimeOf(this.#child.pid);
  }

  async ask<T>(message: object): Promise<T> {
    const answer = this.#next<T>();
    this.#child.send(message);
    return answer;
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill("SIGUSR2");
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), 5000);
    await this.#exit;
    clearTimeout(timer);
  }

  async #next<T>(): Promise<T> {
    const ended = this.#exit.then(() => {
      throw new Error(`a process of the measurement has ended: ${this.#said.trim()}`);
    });
    ended.catch(() => {});
    const [message] = await Promise.race([once(this.#child, "message"), ended]);
    return message as T; // the protocol of its file
  }
}
