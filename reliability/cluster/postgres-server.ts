import { execFile } from "node:child_process";
import { chownSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import pg from "pg";
import { ownerOfServers, postgresBinary } from "../../packages/data/test/support/own-postgres.ts";
import { asPostgres, Program, type ProgramOptions } from "./program.ts";
import { until } from "./until.ts";

const run = promisify(execFile);
const responder = fileURLToPath(new URL("./role-responder.ts", import.meta.url));
const binary = (name: string) => postgresBinary(name) ?? name;

/** One of two PostgreSQL servers. Each is the synchronous replica of the other one while that is the primary. */
export class PostgresServer {
  readonly name: string;
  readonly #other: string;
  readonly #options: ProgramOptions;
  readonly #data: string;
  #server: Program | undefined;

  constructor(name: string, other: string, options: Omit<ProgramOptions, "party">) {
    this.name = name;
    this.#other = other;
    this.#options = { ...options, party: name, asPostgres: true };
    const home = join(options.folder, name);
    mkdirSync(home);
    const owner = ownerOfServers();
    if (owner !== undefined) chownSync(home, owner.uid, owner.gid);
    this.#data = join(home, "data");
  }

  get address(): string {
    return this.#options.network.address(this.name);
  }

  /** Creates an empty database server, with what HAProxy asks beside it. */
  async create(): Promise<void> {
    await this.#as("initdb", "-D", this.#data, "-U", "postgres", "-A", "trust", "-N");
    const everyone = ["local all all trust", "host all all 0.0.0.0/0 trust", "host replication all 0.0.0.0/0 trust"];
    writeFileSync(join(this.#data, "pg_hba.conf"), `${everyone.join("\n")}\n`);
    await this.start();
  }

  startResponder(): void {
    new Program([process.execPath, responder], this.#options);
  }

  /** Starts it and waits until it responds. After a kill the old backends must end first, so it may take several attempts. */
  async start(): Promise<void> {
    const { network } = this.#options;
    const settings = {
      listen_addresses: "*",
      unix_socket_directories: dirname(this.#data),
      max_connections: 200,
      fsync: "off", // no fault cuts the power: what a killed server has written is in the system's cache
      synchronous_standby_names: this.#other,
      primary_conninfo: `host=${network.address(this.#other)} user=postgres application_name=${this.name}`,
      wal_keep_size: "512MB",
      wal_sender_timeout: "3s",
      wal_receiver_timeout: "3s",
      wal_retrieve_retry_interval: "500ms",
    };
    const args = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    let server = this.#server;
    await until(`${this.name} responds`, async () => {
      if (server?.isRunning !== true)
        server = new Program([binary("postgres"), "-D", this.#data, ...args], this.#options);
      this.#server = server;
      return (await this.query("select 1")) !== undefined;
    });
  }

  async kill(): Promise<void> {
    await this.#server?.end("SIGKILL");
  }

  async promote(): Promise<void> {
    await this.#as("pg_ctl", "promote", "-D", this.#data, "-w");
  }

  /** Becomes a replica of the other server, with a copy of its files. */
  async copy(primary: PostgresServer): Promise<void> {
    rmSync(this.#data, { recursive: true, force: true });
    await this.#as("pg_basebackup", "-h", primary.address, "-U", "postgres", "-D", this.#data, "-c", "fast", "-N");
    writeFileSync(join(this.#data, "standby.signal"), "");
    await this.start();
  }

  /** Waits until the replica confirms every commit. */
  async untilSync(): Promise<void> {
    const sql = `select from pg_stat_replication where application_name = '${this.#other}' and sync_state = 'sync'`;
    await until(`${this.#other} is the synchronous replica of ${this.name}`, async () => {
      return (await this.query(sql))?.length === 1;
    });
  }

  /** Undefined when it does not respond. */
  async query(sql: string): Promise<unknown[] | undefined> {
    const client = new pg.Client({
      host: this.address,
      user: "postgres",
      connectionTimeoutMillis: 2000,
      query_timeout: 5000,
    });
    client.on("error", () => {});
    try {
      await client.connect();
      return (await client.query(sql)).rows;
    } catch {
      return undefined;
    } finally {
      client.end().catch(() => {});
    }
  }

  async #as(name: string, ...args: readonly string[]): Promise<void> {
    const [command = "", ...rest] = [...this.#options.network.enter(this.name), ...asPostgres, binary(name), ...args];
    await run(command, rest, { cwd: this.#options.folder });
  }
}
