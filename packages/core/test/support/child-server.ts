import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { RawClient } from "./wire.ts";

/** A fixture that listens in a process of its own and prints its port and its events, one per line. */
export class ChildServer {
  readonly #process: ChildProcess;
  readonly #exit: Promise<unknown[]>;
  readonly #clients: RawClient[] = [];
  #output = "";

  private constructor(file: string, args: readonly string[]) {
    this.#process = spawn(process.execPath, ["--conditions=@tenon/source", file, ...args], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.#exit = once(this.#process, "exit");
    this.#process.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.#output += text;
    });
  }

  static async run(name: string, args: readonly string[], body: (server: ChildServer) => Promise<void>): Promise<void> {
    const file = fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));
    const server = new ChildServer(file, args);
    try {
      await server.waitFor("port");
      await body(server);
    } finally {
      server.#process.kill("SIGKILL");
      for (const client of server.#clients) client.socket.destroy();
      await server.#exit;
    }
  }

  get lines(): string[] {
    return this.#output.split("\n").filter((line) => line !== "" && !/^(?:port|signalled) /.test(line));
  }

  get port(): number {
    return Number(/^port ([0-9]+)$/m.exec(this.#output)?.[1]);
  }

  /** When the process received its first signal, in milliseconds since 1970. */
  get signalledAt(): number {
    return Number(/^signalled ([0-9.]+)$/m.exec(this.#output)?.[1]);
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  connect(): RawClient {
    const client = new RawClient(this.port);
    this.#clients.push(client);
    return client;
  }

  /** Waits until the output contains a text `count` times. */
  async waitFor(text: string, count = 1): Promise<void> {
    const signal = AbortSignal.timeout(240_000);
    while (this.#output.split(text).length <= count) {
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
