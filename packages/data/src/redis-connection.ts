import { loadDriver } from "./load-driver.ts";
import { StoreError } from "./store-error.ts";

/** As much of the client as we use: its own type changes with every option it is made with. */
interface Client {
  readonly isReady: boolean;
  sendCommand(command: string[]): Promise<unknown>;
  destroy(): void;
}

export interface RedisOptions {
  /** Milliseconds a command may take before the store counts as unavailable. */
  readonly commandTimeout?: number;
  readonly connectTimeout?: number;
}

const maxWaiting = 1000;
const reconnectEvery = 200;

/** One connection to Redis, shared by key-value store and cache. Commands fail at once while it is away. */
export class RedisConnection {
  readonly place: string;
  readonly #url: string;
  readonly #option: string;
  readonly #commandTimeout: number;
  readonly #connectTimeout: number;
  #client: Client | undefined;
  #opening: Promise<void> | undefined;
  #users = 0;

  constructor(url: string, place: string, option: string, options: RedisOptions = {}) {
    this.#url = url;
    this.place = place;
    this.#option = option;
    this.#commandTimeout = options.commandTimeout ?? 800;
    this.#connectTimeout = options.connectTimeout ?? 1500;
  }

  /** Connects, or rejects with a line for people. Several users share the connection; the last one to close ends it. */
  async open(): Promise<void> {
    this.#users++;
    this.#opening ??= this.#connect();
    await this.#opening;
  }

  async close(): Promise<void> {
    if (--this.#users > 0) return;
    const client = this.#client;
    this.#client = undefined;
    this.#opening = undefined;
    if (client !== undefined) end(client);
  }

  /** Runs one command. Rejects with `store unavailable` when Redis is away or does not answer in time. */
  async run(command: readonly string[]): Promise<unknown> {
    const client = this.#client;
    if (client === undefined || !client.isReady) {
      if (client !== undefined) this.#replace(client); // it ended before it was in use, when nobody listened for that yet
      throw new StoreError("UNAVAILABLE", { cause: new Error("not connected") });
    }
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        this.#replace(client); // replies that never come mean a connection that is dead without saying so
        reject(new Error(`${command[0]} was not answered within ${this.#commandTimeout} ms`));
      }, this.#commandTimeout);
    });
    try {
      return await Promise.race([client.sendCommand([...command]), late]);
    } catch (error) {
      const byServer = error instanceof Error && /^[A-Z]+ /.test(error.message);
      throw new StoreError(byServer ? "FAILED" : "UNAVAILABLE", { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }

  /** Within the given time, handshake included: a server that accepts and says nothing is as good as none. */
  async #connect(patience = 2 * this.#connectTimeout): Promise<void> {
    const { createClient } = await loadDriver("redis", this.#option, () => import("redis"));
    const client = createClient({
      url: this.#url,
      disableOfflineQueue: true,
      commandsQueueMaxLength: maxWaiting,
      // its own attempts to reconnect wait for a handshake for ever
      socket: { connectTimeout: this.#connectTimeout, reconnectStrategy: false },
    });
    let timer: NodeJS.Timeout | undefined;
    const failed = new Promise<never>((_, reject) => {
      // unheard, an error of the client would end the process
      client.on("error", (error) => {
        reject(error);
        this.#replace(client);
      });
      timer = setTimeout(() => reject(new Error("no answer")), patience);
    });
    try {
      await Promise.race([client.connect(), failed]);
    } catch (error) {
      end(client);
      this.#opening = undefined;
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`Redis at ${this.place} does not answer: ${reason}. Start it, or change ${this.#option}.`, {
        cause: error,
      });
    } finally {
      clearTimeout(timer);
    }
    if (this.#users === 0) end(client);
    else this.#client = client;
  }

  /** Drops the connection, if it is the one in use, and makes another as soon as there is one to be had. */
  #replace(client: Client): void {
    if (client !== this.#client) return;
    this.#client = undefined;
    void this.#reconnect();
    end(client);
  }

  async #reconnect(): Promise<void> {
    while (this.#users > 0) {
      try {
        await this.#connect(this.#commandTimeout);
        return;
      } catch {
        await new Promise((resolve) => setTimeout(resolve, reconnectEvery));
      }
    }
  }
}

/** A client that is already closed throws when it is destroyed, and whoever wants it gone has what it wants. */
function end(client: Client): void {
  try {
    client.destroy();
  } catch {
    // it was gone
  }
}
