import { setTimeout as sleep } from "node:timers/promises";
import { endsWithin, trace } from "@tenon/core/internal";
import { StoreError } from "../store-error.ts";
import type { Link, LinkListeners } from "../support/link.ts";
import { loadDriver } from "../support/load-driver.ts";
import { redisTracing, type StorePlace, toPlace } from "../tracing.ts";

/** The part of the client that is used here: its own type depends on the options it is created with. */
interface Client {
  readonly isReady: boolean;
  sendCommand(command: string[]): Promise<unknown>;
  destroy(): void;
}

export interface RedisOptions {
  /**
   * What every key and channel begins with: applications that share a Redis need different ones. `?prefix=` in the URL
   * takes precedence. Defaults to "tenon:".
   */
  readonly prefix?: string;
  /** Milliseconds that a command may take before the store counts as unavailable. Defaults to 800. */
  readonly commandTimeout?: number;
  /** Milliseconds to connect, and as long again for the handshake. Defaults to 1,500. */
  readonly connectTimeout?: number;
}

const maxWaiting = 1000;
/** The client would count a pause of the process as time without a connection, and reconnect without a timeout. */
const ownTimeouts = { connectTimeout: 0, reconnectStrategy: false } as const;
/** Milliseconds between attempts to reconnect. */
const reconnectPause = 200;

/** One connection to Redis, shared by key-value store and cache. Commands fail at once while Redis is down. */
export class RedisConnection {
  readonly prefix: string;
  readonly #url: string;
  readonly #place: string;
  readonly #storePlace: StorePlace;
  readonly #option: string;
  readonly #commandTimeout: number;
  readonly #connectTimeout: number;
  #client: Client | undefined;
  #opening: Promise<void> | undefined;
  #users = 0;

  constructor(url: string, place: string, option: string, options: RedisOptions = {}) {
    this.#url = url;
    this.#place = place;
    this.#storePlace = toPlace(url, { namespace: "0", port: 6379 });
    this.#option = option;
    this.prefix = new URL(url).searchParams.get("prefix") ?? options.prefix ?? "tenon:";
    this.#commandTimeout = options.commandTimeout ?? 800;
    this.#connectTimeout = options.connectTimeout ?? 1500;
  }

  /** Connects, or rejects with a readable message. Several users share the connection; the last `close()` ends it. */
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

  get isReady(): boolean {
    return this.#client?.isReady === true;
  }

  /** Runs one command. Rejects with `store unavailable` when Redis is down or does not respond in time. */
  run(command: readonly string[]): Promise<unknown> {
    if (!redisTracing.hasSubscribers) return this.#run(command);
    const [name = "", ...keys] = command;
    return trace(redisTracing, { command: name.toUpperCase(), keys: keys.length, place: this.#storePlace }, () =>
      this.#run(command),
    );
  }

  async #run(command: readonly string[]): Promise<unknown> {
    const client = this.#client;
    if (client === undefined || !client.isReady) {
      if (client !== undefined) this.#replace(client); // it ended before the error listener could replace it
      throw new StoreError("UNAVAILABLE", { cause: new Error("not connected") });
    }
    try {
      const reply = client.sendCommand([...command]);
      if (await endsWithin(reply, this.#commandTimeout)) return await reply;
    } catch (error) {
      const byServer = error instanceof Error && /^[A-Z]+ /.test(error.message);
      throw new StoreError(byServer ? "FAILED" : "UNAVAILABLE", { cause: error });
    }
    this.#replace(client); // a connection without replies is dead, though it reports no error
    const cause = new Error(`${command[0]} got no reply within ${this.#commandTimeout} ms`);
    throw new StoreError("UNAVAILABLE", { cause });
  }

  /** A connection of its own that gets the messages of a channel. */
  async listen(channel: string, { onMessage, onLost }: LinkListeners): Promise<Link> {
    const client = await this.#create();
    const failed = Promise.withResolvers<never>();
    const lose = (error = new Error("the connection was closed")) => {
      failed.reject(error);
      onLost();
    };
    client.on("error", lose);
    client.on("end", lose);
    const begin = async () => {
      await client.connect();
      await client.subscribe(channel, onMessage);
    };
    try {
      // the client's promises never end when Redis goes away during the handshake
      const begun = Promise.race([begin(), failed.promise]);
      if (!(await endsWithin(begun, 2 * this.#connectTimeout))) throw new Error("no response");
    } catch (error) {
      end(client);
      throw new StoreError("UNAVAILABLE", { cause: error });
    }
    return { check: () => client.ping(), close: () => end(client) };
  }

  /** createClient() generates a class for each set of options, which takes 20 ms; duplicate() uses the class again. */
  async #create(options: { readonly disableOfflineQueue?: true; readonly commandsQueueMaxLength?: number } = {}) {
    const { createClient } = await loadDriver("redis", this.#option, () => import("redis"));
    const unused = createClient();
    const client = unused.duplicate({ ...options, url: this.#url, socket: { ...ownTimeouts } }); // it changes the socket's
    unused.destroy();
    return client;
  }

  /** The timeout includes the handshake: a server may accept a connection and then send nothing. */
  async #connect(timeout = 2 * this.#connectTimeout): Promise<void> {
    const client = await this.#create({ disableOfflineQueue: true, commandsQueueMaxLength: maxWaiting });
    const failed = Promise.withResolvers<never>();
    // without a listener an error of the client would crash the process
    client.on("error", (error) => {
      failed.reject(error);
      this.#replace(client);
    });
    try {
      const connected = Promise.race([client.connect(), failed.promise]);
      if (!(await endsWithin(connected, timeout))) throw new Error("no response");
    } catch (error) {
      end(client);
      this.#opening = undefined;
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`Redis at ${this.#place} does not respond: ${reason}. Start it, or change ${this.#option}.`, {
        cause: error,
      });
    }
    if (this.#users === 0) end(client);
    else this.#client = client;
  }

  /** Drops the connection, if it is the current one, and reconnects in the background. */
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
        await sleep(reconnectPause);
      }
    }
  }
}

/** A client that is already closed throws when it is destroyed. */
function end(client: Client): void {
  try {
    client.destroy();
  } catch {
    // already closed
  }
}
