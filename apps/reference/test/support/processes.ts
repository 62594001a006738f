import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Client } from "./client.ts";

type Environment = Readonly<Record<string, string>>;

/** Only what is given counts: the machine's own variables must not change what a test sees. */
const own =
  /^(?:PORT|HOST|DATABASE_URL|REDIS_URL|JWT_SECRET|BCRYPT_COST|LOGIN_RATE_LIMIT|LOG_LEVEL|NODE_ENV|NO_COLOR)$/;

const application = fileURLToPath(new URL("../..", import.meta.url));
/** Where node itself would put it: each process after the first starts in a third of the time. */
const compileCache = join(tmpdir(), "node-compile-cache");

function spawnFile(file: string, env: Environment): ChildProcess {
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !own.test(name)));
  return spawn(process.execPath, ["--conditions=@tenon/source", resolve(application, file)], {
    env: { NODE_COMPILE_CACHE: compileCache, ...inherited, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

export async function textOf(stream: AsyncIterable<Buffer> | null): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream ?? []) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** Runs a file of the application to its end. */
export async function runFile(file: string, env: Environment) {
  const child = spawnFile(file, env);
  const timer = setTimeout(() => child.kill("SIGKILL"), 20_000);
  const exit = once(child, "exit");
  const [stdout, stderr] = await Promise.all([textOf(child.stdout), textOf(child.stderr)]);
  const [code] = await exit;
  clearTimeout(timer);
  return { code: code as number | null, stdout, stderr }; // what node hands to "exit"
}

/** A server in a process of its own. */
export class ServerProcess {
  readonly client: Client;
  /** What it has logged, line by line. */
  readonly lines: readonly string[];
  readonly #child: ChildProcess;

  constructor(child: ChildProcess, url: string, lines: readonly string[]) {
    this.#child = child;
    this.client = new Client(url);
    this.lines = lines;
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const exit = once(this.#child, "exit");
    this.#child.kill("SIGTERM");
    await exit;
  }
}

/** Starts an entry point on a free port and waits until it listens. */
async function startServer(file: string, env: Environment): Promise<ServerProcess> {
  const child = spawnFile(file, { PORT: "0", ...env });
  child.stderr?.pipe(process.stderr);
  const lines: string[] = [];
  const output = createInterface({ input: child.stdout ?? process.stdin });
  const url = await new Promise<string>((resolve, reject) => {
    output.on("line", (line) => {
      lines.push(line);
      const found = /listening on (http:[^"]+)/.exec(line)?.[1];
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
