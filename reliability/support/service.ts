import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { ServerProcess, spawnFile } from "../../apps/reference/test/support/processes.ts";
import { freePort } from "../../packages/data/test/support/ports.ts";

export interface ServiceOptions {
  /** `DATABASE_URL` and other variables. */
  readonly env: Readonly<Record<string, string>>;
  /** The entry point. Defaults to the full reference. */
  readonly file?: string;
  /** A command that runs it, such as `strace -f`. */
  readonly under?: readonly string[];
  readonly nodeOptions?: readonly string[];
  /** Whether the probe is loaded. Defaults to true. A service that is only killed starts faster without it. */
  readonly probed?: boolean;
  /** A descriptor for its standard output. Defaults to one that this process reads. */
  readonly stdout?: number;
}

export const jwtSecret = "a secret of the reliability tests, long enough";

const probe = fileURLToPath(new URL("./probe.ts", import.meta.url));
const patience = 120_000;

/** Starts the reference service as users do, in its own process. */
export async function startService({
  env,
  file = "src/main.api.ts",
  under = [],
  nodeOptions = [],
  probed = true,
  stdout,
}: ServiceOptions): Promise<ServerProcess> {
  const port = env.PORT ?? String(await freePort());
  const child = spawnFile(
    file,
    { JWT_SECRET: jwtSecret, BCRYPT_COST: "10", LOGIN_RATE_LIMIT: "off", LOG_LEVEL: "error", ...env, PORT: port },
    {
      under,
      nodeOptions: [...(probed ? ["--expose-gc", "--import", probe] : []), ...nodeOptions],
      ...(stdout === undefined ? {} : { stdout }),
    },
  );
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      if (lines.length < 1000) lines.push(...text.trimEnd().split("\n"));
    });
  }
  const server = new ServerProcess(child, `http://127.0.0.1:${port}`, lines);
  const deadline = performance.now() + patience;
  while (!(await accepts(Number(port)))) {
    if (!server.alive) throw new Error(`the service ended before it listened: ${lines.join("\n")}`);
    if (performance.now() > deadline) throw new Error(`the service does not listen: ${lines.join("\n")}`);
    await sleep(5);
  }
  return server;
}

export async function withService<T>(options: ServiceOptions, body: (server: ServerProcess) => Promise<T>): Promise<T> {
  const server = await startService(options);
  try {
    return await body(server);
  } finally {
    if (server.alive) await server.kill();
  }
}

/** Whether a server listens on the port. */
export function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
