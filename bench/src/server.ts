import { type ChildProcess, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { bunFile } from "./bun.ts";
import { endWithUs } from "./children.ts";
import { pinned } from "./cores.ts";
import type { PeerInfo } from "./peers.ts";

export interface ServerOptions {
  /** Which Tenon: the built packages, or the source. */
  readonly tenon: "dist" | "source";
  readonly database: string;
  /** Serves from so many processes, which no core is reserved for. Only Tenon can. */
  readonly workers?: number;
  /** Where a CPU profile is written when the server stops, if it runs on Node. */
  readonly profile?: string | undefined;
}

const startTimeout = 20_000;

/** A peer in its own process, on its own core. */
export class Server {
  readonly port: number;
  /** When the process was started, by `performance.now()`. */
  readonly begun: number;
  readonly #child: ChildProcess;
  readonly #runtime: PeerInfo["runtime"];
  #said = "";

  private constructor(child: ChildProcess, runtime: PeerInfo["runtime"], port: number, begun: number) {
    this.#child = child;
    this.#runtime = runtime;
    this.port = port;
    this.begun = begun;
    endWithUs(child);
    child.stdout?.on("data", (text) => this.#note(text));
    child.stderr?.on("data", (text) => this.#note(text));
  }

  static async start(peer: PeerInfo, scenario: string, options: ServerOptions): Promise<Server> {
    const port = await freePort();
    const flags = [
      ...(options.tenon === "source" ? ["--conditions=@tenon/source"] : []),
      ...(options.profile === undefined ? [] : profileFlags(options.profile, `${peer.name}-${scenario}-${port}`)),
    ];
    const runtime: [string, ...string[]] = peer.runtime === "bun" ? [bunFile] : [process.execPath, ...flags];
    const file = fileURLToPath(new URL(`../peers/${peer.file}`, import.meta.url));
    const all: [string, ...string[]] = [...runtime, file, scenario, String(port)];
    const [command, ...rest] = options.workers === undefined ? pinned("server", all) : all;
    const begun = performance.now();
    const child = spawn(command, rest, {
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        ...process.env,
        BENCH_DATABASE: options.database,
        NODE_ENV: "production",
        LOG_LEVEL: "warn",
        WORKERS: String(options.workers ?? 1),
      },
    });
    const server = new Server(child, peer.runtime, port, begun);
    try {
      await server.#untilReady();
    } catch (error) {
      await server.stop();
      throw new Error(`${peer.name} did not start for "${scenario}": ${(error as Error).message}\n${server.#said}`);
    }
    return server;
  }

  /** Bytes in memory. */
  get resident(): number {
    const [, kilobytes = "0"] = /^VmRSS:\s+(\d+) kB/m.exec(statusOf(this.#child.pid)) ?? [];
    return Number(kilobytes) * 1024;
  }

  /** Seconds of processor time that all its threads have used; 0 where the system does not tell. */
  get processorTime(): number {
    const { pid } = this.#child;
    return this.#runtime === "bun" ? processorTimeWithEnded(pid) : processorTimeOf(pid);
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.kill("SIGUSR2"); // peers/support/serve.ts exits on it, so that a profile is written
    await Promise.race([exited, sleep(5000)]);
    this.#child.kill("SIGKILL");
    await exited;
  }

  async #untilReady(): Promise<void> {
    const deadline = performance.now() + startTimeout;
    while (!(await accepts(this.port))) {
      if (this.#child.exitCode !== null) throw new Error(`it ended with code ${this.#child.exitCode}`);
      if (performance.now() > deadline) throw new Error("it did not listen in time");
      await sleep(1);
    }
  }

  #note(text: unknown): void {
    if (this.#said.length < 4096) this.#said += String(text);
  }
}

/** Seconds that all threads of a process have used; 0 where the system does not tell. */
export function processorTimeOf(pid: number | undefined): number {
  const folder = `/proc/${pid}/task`;
  try {
    const times = readdirSync(folder).map((task) => readFileSync(join(folder, task, "schedstat"), "utf8"));
    return times.reduce((sum, text) => sum + Number.parseInt(text, 10), 0) / 1e9;
  } catch {
    return 0;
  }
}

/**
 * The same in steps of 10 ms, and with the threads that have ended: Bun's compiler threads end after ten seconds
 * without work, and without them the sum would fall.
 */
function processorTimeWithEnded(pid: number | undefined): number {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" "); // the name before it may contain spaces
    const [user, system] = fields.slice(11);
    return (Number(user) + Number(system)) / 100; // clock ticks, 100 a second on every Linux
  } catch {
    return 0;
  }
}

function profileFlags(folder: string, name: string): string[] {
  return ["--cpu-prof", `--cpu-prof-dir=${folder}`, `--cpu-prof-name=${name}.cpuprofile`];
}

function statusOf(pid: number | undefined): string {
  try {
    return readFileSync(`/proc/${pid}/status`, "utf8");
  } catch {
    return ""; // no Linux: the column stays empty
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    const finish = (result: boolean) => {
      socket.destroy();
      resolve(result);
    };
    socket.once("connect", () => finish(true)).once("error", () => finish(false));
  });
}

async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = randomInt(20_000, 30_000);
    const free = await new Promise<boolean>((resolve) => {
      const probe = createServer();
      probe.once("error", () => resolve(false));
      probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
    });
    if (free) return port;
  }
  throw new Error("no free port between 20000 and 29999");
}
