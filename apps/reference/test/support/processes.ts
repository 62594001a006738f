import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { until } from "../../../../packages/core/test/support/until.ts";
import { Client } from "./client.ts";

type Environment = Readonly<Record<string, string>>;

/** The environment of the machine is not passed on: its variables must not change a test. */
const own =
  /^(?:PORT|HOST|DATABASE_URL|DATABASE_POOLER|DATABASE_LISTEN_URL|REDIS_URL|JWT_SECRET|BCRYPT_COST|LOGIN_RATE_LIMIT|MAIL_URL|MAIL_FROM|BASE_URL|TRUSTED_PROXIES|METRICS_TOKEN|OTEL_\w+|LOG_LEVEL|NODE_ENV|NODE_TEST_CONTEXT|NO_COLOR|FORCE_COLOR)$/;

const application = fileURLToPath(new URL("../..", import.meta.url));
/** The compile cache of Node: each process after the first starts in a third of the time. */
export const compileCache = process.env.NODE_COMPILE_CACHE ?? join(tmpdir(), "node-compile-cache");

export interface SpawnOptions {
  /** Options of Node itself, such as `--expose-gc`. */
  readonly nodeOptions?: readonly string[];
  /** A command that runs Node, such as `strace -f`. */
  readonly under?: readonly string[];
  readonly args?: readonly string[];
  /** A descriptor for its standard output. Defaults to one that this process reads. */
  readonly stdout?: number;
}

export function spawnFile(file: string, env: Environment, options: SpawnOptions = {}): ChildProcess {
  const { nodeOptions = [], under = [], args: ownArgs = [], stdout = "pipe" } = options;
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !own.test(name)));
  const node = [process.execPath, ...nodeOptions, "--conditions=@tenon/source", resolve(application, file), ...ownArgs];
  const [command = "", ...args] = [...under, ...node];
  return spawn(command, args, {
    env: { NODE_COMPILE_CACHE: compileCache, MAIL_URL: "memory:", ...inherited, ...env },
    stdio: ["ignore", stdout, "pipe", "ipc"],
  });
}

export async function textOf(stream: AsyncIterable<Buffer> | null): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream ?? []) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** Runs a file of the application until it exits. */
export async function runFile(file: string, env: Environment, options: SpawnOptions = {}) {
  const child = spawnFile(file, env, options);
  const timer = setTimeout(() => child.kill("SIGKILL"), 240_000);
  const exit = once(child, "exit");
  const [stdout, stderr] = await Promise.all([textOf(child.stdout), textOf(child.stderr)]);
  const [code] = await exit;
  clearTimeout(timer);
  return { code: code as number | null, stdout, stderr }; // the arguments of "exit"
}

/** A server in its own process. */
export class ServerProcess {
  readonly client: Client;
  /** The lines that it has logged. */
  readonly lines: readonly string[];
  /** Its exit code or signal. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  readonly #child: ChildProcess;

  constructor(child: ChildProcess, url: string, lines: readonly string[]) {
    this.#child = child;
    this.client = new Client(url);
    this.lines = lines;
    this.ended = new Promise((resolve) => {
      child.once("exit", (code, signal) => resolve({ code, signal }));
    });
  }

  get url(): string {
    return this.client.url;
  }

  get pid(): number {
    return this.#child.pid ?? 0; // it listens, so it was started
  }

  get alive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /** Sends a message and returns the reply; the process must know the message. Rejects when the process ends. */
  async ask<T>(question: string): Promise<T> {
    const reply = once(this.#child, "message");
    const failed = this.describeEnd().then((text) => Promise.reject(new Error(text)));
    this.#child.send(question);
    return (await Promise.race([reply, failed]))[0] as T; // the file's own protocol
  }

  /** How it has ended, with its last lines. */
  async describeEnd(): Promise<string> {
    const { code, signal } = await this.ended;
    return `the process ended with ${signal ?? code}: ${this.lines.slice(-10).join("\n")}`;
  }

  /** Waits for a log line that contains all of these texts: it is written after the response. */
  async logs(...texts: readonly string[]): Promise<void> {
    const isLogged = () => this.lines.some((line) => texts.every((text) => line.includes(text)));
    await until(isLogged, `log line with ${texts.join(", ")}`);
  }

  async kill(): Promise<void> {
    this.signal("SIGKILL");
    await this.ended;
  }

  async stop(): Promise<void> {
    if (!this.alive) return;
    this.signal("SIGTERM");
    await this.ended;
  }
}

/** Starts an entry point on a free port and waits until it listens. */
export async function startServer(file: string, env: Environment, options: SpawnOptions = {}): Promise<ServerProcess> {
  const child = spawnFile(file, { PORT: "0", ...env }, options);
  child.stderr?.pipe(process.stderr);
  const lines: string[] = [];
  const output = createInterface({ input: child.stdout ?? process.stdin });
  const url = await new Promise<string>((resolve, reject) => {
    output.on("line", (line) => {
      lines.push(line);
      const found = /(?:listening on |^ {2}url +)(http:[^"]+)/.exec(line)?.[1]; // in the log, or in the banner
      if (found !== undefined) resolve(found);
    });
    child.once("exit", (code) => reject(new Error(`${file} ended with ${code} before it listened`)));
  });
  return new ServerProcess(child, url, lines);
}

/** Two servers of the same kind, started together and stopped afterwards. */
export async function withTwoServers<T>(
  file: string,
  env: Environment,
  body: (a: ServerProcess, b: ServerProcess) => Promise<T>,
): Promise<T> {
  const other = startServer(file, env);
  try {
    return await withServer(file, env, async (server) => body(server, await other));
  } finally {
    await other.then((server) => server.stop());
  }
}

export async function withServer<T>(
  file: string,
  env: Environment,
  body: (server: ServerProcess) => Promise<T>,
): Promise<T> {
  const server = await startServer(file, env);
  try {
    return await body(server);
  } finally {
    await server.stop();
  }
}
