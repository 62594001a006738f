import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "./ports.ts";

/** What it keeps: every command before it replies, its last snapshot, or nothing. */
export type RedisDurability = "commands" | "snapshots" | "nothing";

/** A separate Redis of the test. Defaults to one that syncs every command to disk before it replies. */
export class OwnRedis {
  readonly #folder = mkdtempSync(join(tmpdir(), "tenon-redis-"));
  readonly #durability: RedisDurability;
  #port = 0;
  #server: ChildProcess | undefined;

  private constructor(durability: RedisDurability) {
    this.#durability = durability;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.#port}`;
  }

  static async make(durability: RedisDurability = "commands"): Promise<OwnRedis> {
    const own = new OwnRedis(durability);
    own.#port = await freePort();
    await own.start();
    return own;
  }

  async start(): Promise<void> {
    const settings = ["--bind", "127.0.0.1", "--dir", this.#folder, "--save", ""];
    const durable = this.#durability === "commands" ? ["--appendonly", "yes", "--appendfsync", "always"] : [];
    this.#server = spawn("redis-server", ["--port", String(this.#port), ...settings, ...durable], { stdio: "ignore" });
    for (let wait = 0; wait < 2000; wait++) {
      if (await this.#responds()) return;
      await sleep(5);
    }
    throw new Error("the test's own Redis does not start");
  }

  /** Writes a snapshot. Without the durability "snapshots" none is kept. */
  async snapshot(): Promise<void> {
    if (this.#durability === "snapshots") await this.#command("SAVE", "+OK");
  }

  /** It keeps its connections and responds to none, until `resume()`. */
  stall(): void {
    this.#server?.kill("SIGSTOP");
  }

  resume(): void {
    this.#server?.kill("SIGCONT");
  }

  async kill(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    const exit = once(server, "exit");
    server.kill("SIGKILL");
    await exit;
  }

  async remove(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Whether it has loaded its file: until then it replies with -LOADING. */
  #responds(): Promise<boolean> {
    return this.#command("PING", "+PONG");
  }

  /** Whether the reply is the expected one. */
  #command(command: string, reply: string): Promise<boolean> {
    return new Promise((resolve) => {
      const socket = connect(this.#port, "127.0.0.1", () => socket.write(`${command}\r\n`));
      socket.setTimeout(1000, () => socket.destroy());
      socket.once("data", (chunk: Buffer) => {
        resolve(chunk.toString().startsWith(reply));
        socket.destroy();
      });
      socket.once("error", () => {});
      socket.once("close", () => resolve(false));
    });
  }
}
