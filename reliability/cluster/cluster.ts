import { chmodSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { jwtSecret } from "../support/service.ts";
import { Instance } from "./instance.ts";
import { Network } from "./network.ts";
import { httpPort, poolerPort, postgresPort, redisPort } from "./ports.ts";
import { PostgresServer } from "./postgres-server.ts";
import { databaseProxySettings, frontSettings, poolerSettings } from "./proxies.ts";
import { Supervised } from "./supervised.ts";
import { until } from "./until.ts";

export const instanceNames = ["a", "b", "c"] as const;
export type InstanceName = (typeof instanceNames)[number];
/** HAProxy before the instances, PgBouncer, HAProxy before PostgreSQL. */
const middleNames = ["front", "pooler", "proxy"] as const;
export type MiddleName = (typeof middleNames)[number] | "redis";
/** Where sessions, tokens, limits and channels are. */
export type Stores = "postgres" | "redis";
/** Milliseconds: less than most faults last, so that statements reach it. */
export const statementTimeout = 4000;
const serverNames = ["pg1", "pg2"] as const;

const service = fileURLToPath(new URL("../fixtures/cluster-service.ts", import.meta.url));

/**
 * Three instances behind HAProxy, on a PostgreSQL with one synchronous replica: instances → PgBouncer → HAProxy → the
 * primary, their listeners → HAProxy. Each is a party of a network of its own.
 */
export class Cluster {
  readonly folder: string;
  readonly network: Network;
  readonly instances: Readonly<Record<InstanceName, Instance>>;
  readonly #middleNames: readonly MiddleName[];
  readonly #commands: Readonly<Record<MiddleName, readonly string[]>>;
  readonly #middle = new Map<MiddleName, Supervised>();
  #primary: PostgresServer;
  #replica: PostgresServer;

  private constructor(network: Network, folder: string, stores: Stores) {
    this.#middleNames = toMiddleNames(stores);
    this.folder = folder;
    this.network = network;
    const options = { network, folder };
    this.#primary = new PostgresServer("pg1", "pg2", options);
    this.#replica = new PostgresServer("pg2", "pg1", options);
    const write = (name: string, text: string) => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    const addresses = (names: readonly string[]) =>
      Object.fromEntries(names.map((name) => [name, network.address(name)]));
    this.#commands = {
      front: ["haproxy", "-db", "-f", write("front.cfg", frontSettings(addresses(instanceNames)))],
      proxy: ["haproxy", "-db", "-f", write("proxy.cfg", databaseProxySettings(addresses(serverNames)))],
      pooler: ["pgbouncer", write("pooler.ini", poolerSettings(network.address("proxy")))],
      // it keeps nothing on disk
      redis: ["redis-server", "--port", String(redisPort), "--protected-mode", "no", "--save", ""],
    };
    const env = {
      PATH: process.env.PATH ?? "",
      DATABASE_URL: `postgres://postgres@${network.address("pooler")}:${poolerPort}/postgres?pooler=transaction&statement_timeout=${statementTimeout}`,
      DATABASE_LISTEN_URL: this.databaseUrl,
      JWT_SECRET: jwtSecret,
      TRUSTED_PROXIES: `${network.address("front")},${network.harness}`,
      HOST: "0.0.0.0",
      PORT: String(httpPort),
      WORKERS: "2",
      BCRYPT_COST: "10",
      LOG_LEVEL: "warn",
      ...(stores === "redis" ? { REDIS_URL: `redis://${network.address("redis")}:${redisPort}` } : {}),
    };
    const toInstance = (name: InstanceName) => new Instance(name, service, { ...options, env });
    this.instances = { a: toInstance("a"), b: toInstance("b"), c: toInstance("c") };
  }

  static async start(stores: Stores): Promise<Cluster> {
    const folder = mkdtempSync(join(tmpdir(), "tenon-cluster-"));
    chmodSync(folder, 0o755); // PostgreSQL and PgBouncer run as another user
    const network = await Network.create([...instanceNames, ...toMiddleNames(stores), ...serverNames], folder);
    const cluster = new Cluster(network, folder, stores);
    try {
      await cluster.#open();
      return cluster;
    } catch (error) {
      await cluster.close();
      throw error;
    }
  }

  /** The service through HAProxy. */
  get url(): string {
    return `http://${this.network.address("front")}:${httpPort}`;
  }

  /** The primary through HAProxy. */
  get databaseUrl(): string {
    return `postgres://postgres@${this.network.address("proxy")}:${postgresPort}/postgres`;
  }

  get primary(): PostgresServer {
    return this.#primary;
  }

  get replica(): PostgresServer {
    return this.#replica;
  }

  async #open(): Promise<void> {
    await this.#primary.create();
    await this.#replica.copy(this.#primary);
    await this.#primary.untilSync();
    for (const server of [this.#primary, this.#replica]) server.startResponder();
    for (const name of this.#middleNames) this.startMiddle(name);
    await this.untilReachable();
    const { a, b, c } = this.instances;
    await a.start(); // it creates the tables
    await Promise.all([b.start(), c.start()]);
    await this.untilHealthy();
  }

  startMiddle(name: MiddleName): void {
    const program = this.#middle.get(name) ?? new Supervised();
    this.#middle.set(name, program);
    const { network, folder } = this;
    program.start(this.#commands[name], { network, folder, party: name, asPostgres: name === "pooler" });
  }

  async killMiddle(name: MiddleName): Promise<void> {
    await this.#middle.get(name)?.end("SIGKILL");
  }

  /**
   * Promotes the replica. The old primary is dead, or cut off: what it has not replicated, it has not acknowledged
   * either. It is copied anew from the new primary.
   */
  async promote(): Promise<void> {
    const old = this.#primary;
    await this.#replica.promote();
    this.#primary = this.#replica;
    this.#replica = old;
  }

  /** Makes the server that was the primary the replica. */
  async rebuildReplica(): Promise<void> {
    await this.#replica.kill();
    await this.#replica.copy(this.#primary);
  }

  /** Waits until the primary can be reached through HAProxy. */
  async untilReachable(): Promise<void> {
    await until("HAProxy reaches the primary", async () => {
      const client = new pg.Client({ connectionString: this.databaseUrl, connectionTimeoutMillis: 1000 });
      client.on("error", () => {});
      try {
        await client.connect();
        return true;
      } catch {
        return false;
      } finally {
        client.end().catch(() => {});
      }
    });
  }

  /** Waits until the replica is synchronous and every instance is ready. */
  async untilHealthy(): Promise<void> {
    await this.#primary.untilSync();
    for (const instance of Object.values(this.instances)) {
      await until(`instance ${instance.name} is ready`, () => instance.isReady());
    }
  }

  /** Ends everything, and removes the network and all files. */
  async close(): Promise<void> {
    const middle = [...this.#middle.keys()].map((name) => this.killMiddle(name));
    await Promise.all([...middle, ...Object.values(this.instances).map((one) => one.kill())]); // or they would start again
    await this.network.close();
  }
}

function toMiddleNames(stores: Stores): readonly MiddleName[] {
  return stores === "redis" ? [...middleNames, "redis"] : middleNames;
}
