import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, globSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { freePort } from "./ports.ts";

/** The path of a program of PostgreSQL. */
export function postgresBinary(name: string): string | undefined {
  return [...globSync("/usr/lib/postgresql/*/bin"), "/usr/local/bin", "/usr/bin"]
    .map((folder) => join(folder, name))
    .findLast((file) => existsSync(file));
}

/** A separate PostgreSQL of the test, which may be killed: never the machine's own. */
export class OwnPostgres {
  readonly #folder = mkdtempSync(join(tmpdir(), "tenon-postgres-"));
  readonly #owner = ownerOfServers();
  #port = 0;
  #server: ChildProcess | undefined;

  get url(): string {
    return `postgres://postgres@127.0.0.1:${this.#port}/postgres`;
  }

  static async make(): Promise<OwnPostgres> {
    return await OwnPostgres.#make("initdb", ["-U", "postgres", "-A", "trust", "-N"]);
  }

  /** A copy that follows this server, and serves reads meanwhile. */
  async makeStandby(): Promise<OwnPostgres> {
    return await OwnPostgres.#make("pg_basebackup", ["-d", this.url, "-R", "-c", "fast", "-N"]);
  }

  static async #make(program: string, args: readonly string[]): Promise<OwnPostgres> {
    const own = new OwnPostgres();
    own.#port = await freePort();
    if (own.#owner !== undefined) chownSync(own.#folder, own.#owner.uid, own.#owner.gid);
    const command = postgresBinary(program) ?? program;
    const folder = ["-D", join(own.#folder, "data")];
    execFileSync(command, [...folder, ...args], { ...own.#owner, stdio: "ignore", cwd: own.#folder });
    await own.start();
    return own;
  }

  /** Starts it and waits until it responds. Retries, because after a kill the old backends must end first. */
  async start(): Promise<void> {
    const settings = ["-c", "listen_addresses=127.0.0.1", "-c", `unix_socket_directories=${this.#folder}`];
    for (let attempt = 0; attempt < 200; attempt++) {
      const server = spawn(
        postgresBinary("postgres") ?? "postgres",
        ["-D", join(this.#folder, "data"), "-p", String(this.#port), ...settings],
        { ...this.#owner, cwd: this.#folder, stdio: "ignore" },
      );
      this.#server = server;
      for (let wait = 0; wait < 2000 && server.exitCode === null; wait++) {
        if (await this.#responds()) return;
        await sleep(5);
      }
      await sleep(10);
    }
    throw new Error("the test's own PostgreSQL does not start");
  }

  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  /** A fast shutdown: sessions are closed, committed data is written. */
  async stop(): Promise<void> {
    await this.#end("SIGINT");
  }

  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const exit = once(server, "exit");
    server.kill(signal);
    await exit;
  }

  async #responds(): Promise<boolean> {
    const client = new pg.Client({ connectionString: this.url, connectionTimeoutMillis: 1000 });
    client.on("error", () => {});
    try {
      await client.connect();
      await client.query("select 1");
      return true;
    } catch {
      return false;
    } finally {
      await client.end().catch(() => {});
    }
  }
}

/** PostgreSQL and PgBouncer refuse to run as root: then they run as the user of PostgreSQL's package. */
export function ownerOfServers(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}
