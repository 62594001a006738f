import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../../packages/data/test/support/ports.ts";
import { type RunResult, run } from "../../test/support/run.ts";

const patience = 60_000;

/** Someone who has read only the README: an empty folder, npm, and a registry. */
export class NewUser {
  readonly #folder: string;
  readonly #env: Readonly<Record<string, string>>;
  /** The commands typed so far. */
  readonly commands: string[] = [];

  /** The folder is created. */
  constructor(folder: string, env: Readonly<Record<string, string>>) {
    mkdirSync(folder, { recursive: true });
    this.#folder = folder;
    this.#env = env;
  }

  /** Creates the application, and goes to its folder. */
  create(name: string, ...flags: readonly string[]): Promise<NewUser> {
    return this.createWith(["npm", "create", "tenon@latest", name, "--", ...flags], name);
  }

  /** Creates the application with another command, and goes to its folder. */
  async createWith([command = "", ...args]: readonly string[], name: string): Promise<NewUser> {
    await this.type(command, ...args);
    const inside = new NewUser(join(this.#folder, name), this.#env);
    inside.commands.push(...this.commands, `cd ${name}`);
    return inside;
  }

  /** Runs a command that must succeed, and returns its output. */
  async type(command: string, ...args: readonly string[]): Promise<string> {
    this.commands.push([command, ...args].join(" "));
    const result = await this.#run(command, args);
    if (result.code !== 0)
      throw new Error(`${this.commands.at(-1)} ended with ${result.code}:\n${result.stdout}${result.stderr}`);
    return result.stdout;
  }

  /** Runs a command that must fail, and returns what it printed. */
  async fail(command: string, ...args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await this.#run(command, args);
    if (code === 0) throw new Error(`${[command, ...args].join(" ")} did not fail:\n${stdout}${stderr}`);
    return stdout + stderr;
  }

  /** What npm has installed, in MB on disk. */
  async size(): Promise<number> {
    const { stdout } = await this.#run("du", ["-sm", "node_modules"]);
    return Number.parseInt(stdout, 10);
  }

  /** Runs a command that starts a server until it responds with 200. Returns the time of that, in milliseconds. */
  async serve(path: string, command: string, ...args: readonly string[]): Promise<number> {
    this.commands.push([command, ...args].join(" "));
    const port = await freePort();
    const child = spawn(command, args, {
      cwd: this.#folder,
      env: { ...this.#env, PORT: String(port) },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true, // a process group, so that npm stops together with the application
    });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (said += text));
    const closed = once(child, "close");
    const deadline = performance.now() + patience;
    try {
      while (child.exitCode === null && performance.now() < deadline) {
        if ((await statusOf(`http://127.0.0.1:${port}${path}`)) === 200) return performance.now();
        await sleep(20);
      }
      throw new Error(`${this.commands.at(-1)} did not respond with 200:\n${said}`);
    } finally {
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGTERM");
      await closed;
    }
  }

  #run(command: string, args: readonly string[]): Promise<RunResult> {
    return run(command, args, { cwd: this.#folder, env: this.#env, only: true, timeout: 240_000 });
  }
}

async function statusOf(url: string): Promise<number | undefined> {
  try {
    return (await fetch(url, { headers: { accept: "text/html, application/json" } })).status;
  } catch {
    return undefined; // it does not listen yet
  }
}
