import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

export type LiveCommand =
  /** Resolves when all of them are open. `http:` opens event streams, `ws:` sockets. */
  | {
      readonly type: "open";
      readonly group: string;
      readonly url: string;
      readonly count: number;
      /** Whether they read what arrives. Defaults to true. */
      readonly reads?: boolean;
    }
  /** From now on they read. */
  | { readonly type: "read"; readonly group: string }
  | { readonly type: "report"; readonly group: string }
  /** Every second one says goodbye, the others just disconnect. */
  | { readonly type: "close"; readonly group: string };

/** What a group of clients has got. */
export interface LiveReport {
  readonly open: number;
  /** How many connections ended in which way: `1001 the server is stopping`, `end of stream`, `cut off`. */
  readonly ends: Readonly<Record<string, number>>;
  /** Events of the client that has got the fewest. */
  readonly fewest: number;
  /** Events that did not follow the one before. */
  readonly gaps: number;
}

const file = fileURLToPath(new URL("../fixtures/live-clients.ts", import.meta.url));
const running = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL"); // of an aborted part
});

/** Clients of live routes, in a process of their own. */
export class LiveClients {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
    running.add(child);
    child.once("exit", () => running.delete(child));
  }

  static async start(): Promise<LiveClients> {
    const clients = new LiveClients(fork(file, { execArgv: ["--conditions=@tenon/source"] }));
    await clients.#reply();
    return clients;
  }

  open(command: Omit<Extract<LiveCommand, { type: "open" }>, "type">): Promise<unknown> {
    return this.#ask({ type: "open", ...command });
  }

  read(group: string): Promise<unknown> {
    return this.#ask({ type: "read", group });
  }

  close(group: string): Promise<unknown> {
    return this.#ask({ type: "close", group });
  }

  async report(group: string): Promise<LiveReport> {
    return (await this.#ask({ type: "report", group })) as LiveReport; // the fixture's own protocol
  }

  async kill(): Promise<void> {
    if (!running.has(this.#child)) return;
    const exit = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await exit;
  }

  /** One command at a time. */
  #ask(command: LiveCommand): Promise<unknown> {
    const reply = this.#reply();
    this.#child.send(command);
    return reply;
  }

  async #reply(): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const onMessage = ({ value, error }: { value?: unknown; error?: string }) =>
      error === undefined ? resolve(value) : reject(new Error(error));
    const onExit = () => reject(new Error("the process of the clients has ended"));
    this.#child.once("message", onMessage).once("exit", onExit);
    try {
      return await promise;
    } finally {
      this.#child.off("message", onMessage).off("exit", onExit);
    }
  }
}

/** Ends the processes afterwards. */
export async function withLiveClients<T>(body: (clients: LiveClients) => Promise<T>): Promise<T> {
  const clients = await LiveClients.start();
  try {
    return await body(clients);
  } finally {
    await clients.kill();
  }
}
