import { randomUUID } from "node:crypto";
import { createClient } from "redis";
import { services, withPostgres } from "../../packages/data/test/support/services.ts";

export interface FeedStoreCase {
  readonly name: "Redis" | "PostgreSQL";
  /** The environment of instances that share it, with a topic of their own; all of it is removed afterwards. */
  with<T>(body: (env: Readonly<Record<string, string>>) => Promise<T>): Promise<T>;
}

/** The stores that live channels share between instances. */
export const feedStores: readonly FeedStoreCase[] = [
  {
    name: "Redis",
    with: async (body) => {
      const topic = `reliability/${randomUUID()}`;
      const url = services.redis ?? "";
      try {
        return await body({ DATABASE_URL: "sqlite::memory:", REDIS_URL: url, TOPIC: topic });
      } finally {
        const client = createClient({ url });
        await client.connect();
        const keys = await client.keys(`tenon:live:{${topic}}:*`);
        if (keys.length > 0) await client.del(keys);
        await client.close();
      }
    },
  },
  { name: "PostgreSQL", with: (body) => withPostgres((url) => body({ DATABASE_URL: url, TOPIC: "feed" })) },
];
