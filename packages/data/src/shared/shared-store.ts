import { randomBytes } from "node:crypto";
import type { Log, OnStop } from "@tenon/core";
import { afterCommit } from "../database/after-commit.ts";
import type { AnyDatabase } from "../database/database.ts";
import type { Link, LinkListeners } from "../support/link.ts";
import { Listener } from "./listener.ts";
import { Notifier } from "./notifier.ts";

/** Redis, as far as instances use it to reach each other. */
export interface SharedRedis {
  /** What the keys and channels of the application begin with. */
  readonly prefix: string;
  /** Rejects with `store unavailable` when Redis is down or does not respond in time. */
  run(command: readonly string[]): Promise<unknown>;
  open(): Promise<void>;
  close(): Promise<void>;
  listen(channel: string, listeners: LinkListeners): Promise<Link>;
}

/** PostgreSQL, as far as instances use it to reach each other. */
export interface SharedPostgres {
  /** False behind a pooler, unless there is a URL past it. */
  readonly canListen: boolean;
  query<R>(sql: string, parameters: readonly unknown[]): Promise<{ readonly rows: R[] }>;
  listen(channel: string, listeners: LinkListeners): Promise<Link>;
}

/** Called with the text of a message; with undefined when messages may have been missed. */
export type NotificationListener = (text: string | undefined) => void;

interface ChannelListener {
  readonly channel: string;
  /** Does not throw. */
  readonly onMessage: NotificationListener;
  /** Undefined without a store. */
  readonly remote: Listener | undefined;
}

/** Jobs that start seconds late have their reason in the log. */
const pollNote =
  "PostgreSQL is behind a pooler, so messages of other processes are not heard: jobs and channels look every 2 s (pollInterval). Set DATABASE_LISTEN_URL to the server itself to hear them.";

/** Bytes of the name of a channel in PostgreSQL. */
const longestChannel = 63;
/** Bytes of a message: NOTIFY takes less than 8,000. */
const largestPayload = 7900;
/** A message is of no use after a crash, so its commit need not wait for the disk. */
const notifyStatement = `select set_config('synchronous_commit', 'off', true), pg_notify(channel, payload)
  from unnest($1::text[], $2::text[]) as message (channel, payload)`;

/**
 * The store through which the instances of an application reach each other: Redis where the key-value store is on it,
 * else PostgreSQL where the database is, else none.
 */
export class SharedStore implements OnStop {
  readonly redis: SharedRedis | undefined;
  readonly postgres: SharedPostgres | undefined;
  readonly #log: Log;
  readonly #listeners = new Set<ChannelListener>();
  readonly #notifier: Notifier | undefined;
  /** Marks the messages of this process, whose listeners have got them already. */
  readonly #mark = `tenon ${randomBytes(9).toString("base64url")} `;

  constructor({ redis, postgres, log }: Pick<SharedStore, "redis" | "postgres"> & { readonly log: Log }) {
    this.redis = redis;
    this.postgres = postgres;
    this.#log = log;
    if (redis !== undefined || postgres !== undefined)
      this.#notifier = new Notifier((messages) => this.#send(messages));
  }

  /**
   * Says to the listeners of a channel, in this process and in the others, that something has happened: with a
   * transaction after its commit, and not at all when it is rolled back. Neither the caller nor the transaction waits
   * for it. Messages that follow each other within milliseconds are sent together, and equal ones once. A message may
   * be lost with a connection or a process, so that listeners have to look by themselves now and then.
   */
  async notify(channel: string, text: string, transaction?: AnyDatabase): Promise<void> {
    checkChannel(channel);
    if (transaction === undefined) this.#notify(channel, text);
    else await afterCommit(transaction, () => this.#notify(channel, text));
  }

  #notify(channel: string, text: string): void {
    for (const listener of [...this.#listeners]) if (listener.channel === channel) listener.onMessage(text);
    this.#notifier?.add(channel, text);
  }

  /**
   * Listens to a channel until the returned function is called or the application stops. Other processes are heard by
   * a connection of its own, which is made in the background and again when it is lost. What `onMessage` throws is logged.
   */
  listen(channel: string, onMessage: NotificationListener): () => void {
    checkChannel(channel);
    let isOpen = true;
    const call = (text: string | undefined) => {
      if (!isOpen) return;
      try {
        onMessage(text);
      } catch (error) {
        this.#log.error({ err: error, channel }, "a listener of a channel has failed");
      }
    };
    const store = this.redis ?? (this.postgres?.canListen ? this.postgres : undefined);
    if (store === undefined && this.postgres !== undefined && this.#listeners.size === 0) this.#log.info(pollNote);
    const name = this.#nameOf(channel);
    const receive = (payload: string | undefined) => this.#receive(payload, call);
    const onError = (error: unknown) =>
      this.#log.warn({ err: error, channel }, "messages of other processes are not heard: connecting again");
    const remote = store && new Listener((reports) => store.listen(name, reports), receive, onError);
    remote?.start();
    const listener = { channel, onMessage: call, remote };
    this.#listeners.add(listener);
    return () => {
      isOpen = false;
      this.#listeners.delete(listener);
      remote?.close();
    };
  }

  async onStop(): Promise<void> {
    for (const { remote } of this.#listeners) remote?.close();
    await this.#notifier?.close();
  }

  #nameOf(channel: string): string {
    return this.redis === undefined ? channel : `${this.redis.prefix}${channel}`;
  }

  async #send(messages: ReadonlyMap<string, ReadonlySet<string>>): Promise<void> {
    const names = [...messages.keys()].map((channel) => this.#nameOf(channel));
    const payloads = [...messages.values()].map((texts) => this.#toPayload(texts));
    if (this.redis === undefined) await this.postgres?.query(notifyStatement, [names, payloads]);
    else for (const [index, name] of names.entries()) await this.redis.run(["PUBLISH", name, payloads[index] ?? ""]);
  }

  /** All texts, or none where they are too long: then anything may have happened. */
  #toPayload(texts: ReadonlySet<string>): string {
    const payload = this.#mark + JSON.stringify([...texts]);
    return Buffer.byteLength(payload) > largestPayload ? `${this.#mark}[null]` : payload;
  }

  #receive(payload: string | undefined, onMessage: NotificationListener): void {
    if (payload?.startsWith(this.#mark)) return;
    const texts = payload === undefined ? undefined : toTexts(payload);
    if (texts === undefined)
      onMessage(payload); // a trigger or a person may notify too
    else for (const text of texts) onMessage(text ?? undefined);
  }
}

/** The texts of a payload of `notify()`; undefined for any other. */
function toTexts(payload: string): (string | null)[] | undefined {
  const list = /^tenon \S+ (\[.+\])$/s.exec(payload)?.[1];
  if (list === undefined) return undefined;
  try {
    return JSON.parse(list);
  } catch {
    return undefined;
  }
}

/** PostgreSQL rejects other names, together with all that are sent with them, or cuts them. */
function checkChannel(channel: string): void {
  if (channel !== "" && !channel.includes("\0") && Buffer.byteLength(channel) <= longestChannel) return;
  throw new TypeError(`The name of a channel has 1 to ${longestChannel} bytes: ${JSON.stringify(channel)}`);
}
