import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { RawClient } from "./wire.ts";

/** A fixture that listens in a process of its own and says so, and what else it says, one word a line. */
export class ChildServer {
  readonly #process: ChildProcess;
  readonly #exit: Promise<unknown[]>;
  readonly #clients: RawClient[] = [];
  #said = "";

  private constructor(file: string, args: readonly string[]) {
    this.#process = spawn(process.execPath, ["--conditions=@tenon/source", file, ...args], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.#exit = once(this.#process, "exit");
    this.#process.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.#said += text;
    });
  }

  static async run(name: string, args: readonly string[], body: (server: ChildServer) => Promise<void>): Promise<void> {
    const file = fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));
    const server = new ChildServer(file, args);
    try {
      await server.says("port");
      await body(server);
    } finally {
      server.#process.kill("SIGKILL");
      for (const client of server.#clients) client.socket.destroy();
      await server.#exit;
    }
  }

  get words(): string[] {
    return this.#said.split("\n").filter((word) => word !== "" && !/^(?:port|told) /.test(word));
  }

  get port(): number {
    return Number(/^port ([0-9]+)$/m.exec(this.#said)?.[1]);
  }

  /** When it heard of its first signal, in milliseconds since 1970. */
  get told(): number {
    return Number(/^told ([0-9.]+)$/m.exec(this.#said)?.[1]);
  }

  connect(): RawClient {
    const client = new RawClient(this.port);
    this.#clients.push(client);
    return client;
  }

  /** Waits until it has said a word this often. */
  async says(word: string, count = 1): Promise<void> {
    const signal = AbortSignal.timeout(120_000);
    while (this.#said.split(word).length <= count) {
      if (this.#process.stdout === null) throw new Error("the fixture has no output");
      await once(this.#process.stdout, "data", { signal });
    }
  }

  signal(name: NodeJS.Signals): void {
    this.#process.kill(name);
  }

  /** Its exit code. */
  async exit(): Promise<unknown> {
    const [code] = await this.#exit;
    return code;
  }
}
