const lost = "this process only; lost at a restart";
const sqlite = "one machine; what was answered is on its disk";
const postgres =
  "all instances; what was answered is on the disk of the server, and of a synchronous standby where there is one";

/**
 * What each kind of store guarantees, by what is kept in it: for `tenon info` and for the table in docs/scaling.md. Sessions,
 * refresh tokens and limits are in the key-value store.
 */
export const storeGuarantees = {
  database: { memory: lost, sqlite, postgres },
  keyValue: {
    memory: lost,
    sqlite,
    postgres,
    redis:
      "all instances; a restart without persistence ends all sessions; replication is asynchronous: a failover may forget a logout",
  },
  cache: { memory: lost, redis: "all instances; entries may be lost at any time" },
  jobs: {
    sqlite:
      "workers of one machine; a committed job runs at least once, and a lost wake-up delays it until the next poll",
    postgres:
      "workers of all instances; a committed job runs at least once, and a lost wake-up delays it until the next poll",
  },
  channels: {
    memory: "one machine; a restart loses the buffer, and clients get a reset",
    postgres: "all instances; an event of a committed transaction is not lost within the buffer",
    redis: "all instances; a restart or an outage may lose events, and clients get a reset",
  },
} as const;
