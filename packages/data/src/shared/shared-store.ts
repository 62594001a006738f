import { type Link, type LinkListeners, Listener, type NotificationListener } from "./listener.ts";

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
  query<R>(sql: string, parameters: readonly unknown[]): Promise<{ readonly rows: R[] }>;
  listen(channel: string, listeners: LinkListeners): Promise<Link>;
}

/**
 * The store through which the instances of an application reach each other: Redis where the key-value store is on it,
 * else PostgreSQL where the database is, else none. For packages that need it, such as @tenon/live.
 */
export class SharedStore {
  readonly redis: SharedRedis | undefined;
  readonly postgres: SharedPostgres | undefined;

  constructor({ redis, postgres }: Pick<SharedStore, "redis" | "postgres">) {
    this.redis = redis;
    this.postgres = postgres;
  }

  /**
   * Listens to a channel until the returned function is called: `NOTIFY` of PostgreSQL, `PUBLISH` of Redis. Reconnects
   * by itself, and reports undefined when messages may have been missed.
   */
  async listen(channel: string, onMessage: NotificationListener): Promise<() => void> {
    const store = this.redis ?? this.postgres;
    if (store === undefined) throw new TypeError("listen() needs Redis or PostgreSQL, and there is neither");
    const listener = new Listener((listeners) => store.listen(channel, listeners), onMessage);
    await listener.open();
    return () => listener.close();
  }
}
