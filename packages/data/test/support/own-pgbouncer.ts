import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { chownSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ownerOfServers } from "./own-postgres.ts";
import { withFolder } from "./services.ts";

/** Whether PgBouncer is installed. REQUIRE_SERVICES=1 turns a missing one into a failure. */
export const hasPgBouncer = spawnSync("pgbouncer", ["--version"]).status === 0;

if (!hasPgBouncer) {
  if (process.env.REQUIRE_SERVICES === "1") throw new Error("REQUIRE_SERVICES is set and pgbouncer is not installed");
  process.stdout.write("left out: the tests that need pgbouncer (not installed on this machine)\n");
}

export interface PgBouncerOptions {
  /** The URL of the PostgreSQL server. All clients log in to it as its user. */
  readonly server: string;
  /** The most connections to each database. Defaults to 2, so that clients share them. */
  readonly poolSize?: number;
  /** More lines of the section `[pgbouncer]`, for example `query_wait_timeout = 1`. */
  readonly settings?: readonly string[];
}

/** A PgBouncer of the test in transaction mode. `url` is the server's with its address. */
export async function withPgBouncer<T>(options: PgBouncerOptions, body: (url: string) => Promise<T>): Promise<T> {
  return await withFolder(async (folder) => {
    const { process: pgBouncer, port } = await start(options, folder);
    try {
      const url = new URL(options.server);
      url.host = `127.0.0.1:${port}`;
      return await body(url.href);
    } finally {
      const exit = once(pgBouncer, "exit");
      if (pgBouncer.kill("SIGTERM")) await exit; // an immediate shutdown
    }
  });
}

/** Retries with another port while the chosen one is taken. */
async function start(options: PgBouncerOptions, folder: string): Promise<{ process: ChildProcess; port: number }> {
  const file = join(folder, "pgbouncer.ini");
  const owner = ownerOfServers();
  if (owner !== undefined) chownSync(folder, owner.uid, owner.gid);
  let output = "";
  for (let attempt = 0; attempt < 20; attempt++) {
    const port = randomInt(20_000, 30_000);
    writeFileSync(file, toSettings(options, port));
    if (owner !== undefined) chownSync(file, owner.uid, owner.gid); // a umask may keep others from reading it
    const pgBouncer = spawn("pgbouncer", [file], { ...owner, cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
    output = "";
    const isUp = new Promise<boolean>((resolve) => {
      pgBouncer.stderr.on("data", (chunk) => {
        output += chunk;
        if (output.includes("process up")) resolve(true);
      });
      pgBouncer.once("exit", () => resolve(false));
    });
    if (await isUp) return { process: pgBouncer, port };
  }
  throw new Error(`the test's own PgBouncer does not start: ${output}`);
}

function toSettings({ server, poolSize = 2, settings = [] }: PgBouncerOptions, port: number): string {
  const { hostname, port: serverPort, username, password } = new URL(server);
  const login = `user=${username}${password === "" ? "" : ` password=${password}`}`;
  return `[databases]
* = host=${hostname} port=${serverPort || 5432} ${login}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
admin_users = ${username}
pool_mode = transaction
default_pool_size = ${poolSize}
${settings.join("\n")}
`;
}
