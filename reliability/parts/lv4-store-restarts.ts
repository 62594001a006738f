import { setTimeout as sleep } from "node:timers/promises";
import { Random } from "../../packages/core/test/support/random.ts";
import { OwnPostgres } from "../../packages/data/test/support/own-postgres.ts";
import { OwnRedis, type RedisDurability } from "../../packages/data/test/support/own-redis.ts";
import { Figures, type Part, type PartOptions } from "../part.ts";
import { Feed } from "../support/feed.ts";

/** Events per second of both instances together. */
const rate = 2000;
const bufferEvents = 20_000;
const steadyClients = 4;
/** Milliseconds until a client gets an event that was published after the restart. */
const longestWait = 30_000;
/** Milliseconds until enough events are published. */
const longestLoad = 120_000;

/** A store that is restarted under load. */
interface Restarted {
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
  readonly restarts: number;
  /** Events that must be acknowledged during them. */
  readonly events: number;
  /** Whether a restart is reported to clients, because the store may have lost what it had acknowledged. */
  readonly isReported: boolean;
  end(restart: number): Promise<void>;
  start(): Promise<void>;
}

export const part: Part = {
  id: "LV4",
  title:
    "live channels of two instances while Redis and PostgreSQL are restarted, with clients that reconnect at random",
  bar: "20 restarts of each during 100,000 events, and 5 of a Redis that loses its last events or all: delivery resumes within 2 s; nothing acknowledged is lost without a reset",
  needs: ["own postgres", "own redis"],
  alone: true, // it measures times
  async run(options) {
    const { seed } = new Random(options.seed);
    const figures = new Figures().show("seed", String(seed));
    await restartPostgres(figures, options, seed);
    for (const durability of ["commands", "snapshots", "nothing"] as const)
      await restartRedis(durability, figures, options, seed);
    return figures.done();
  },
};

async function restartPostgres(figures: Figures, options: PartOptions, seed: number): Promise<void> {
  const postgres = await OwnPostgres.make();
  try {
    const store: Restarted = {
      name: "PostgreSQL",
      env: { DATABASE_URL: postgres.url },
      restarts: options.short ? 2 : 20,
      events: options.short ? 5000 : 100_000,
      isReported: false,
      end: (restart) => (restart % 3 === 0 ? postgres.kill() : postgres.stop()),
      start: () => postgres.start(),
    };
    await endure(store, figures, options, seed);
  } finally {
    await postgres.remove();
  }
}

async function restartRedis(
  durability: RedisDurability,
  figures: Figures,
  options: PartOptions,
  seed: number,
): Promise<void> {
  const redis = await OwnRedis.make(durability);
  const isKept = durability === "commands";
  const names = { commands: "Redis", snapshots: "Redis with snapshots", nothing: "Redis without persistence" };
  try {
    const store: Restarted = {
      name: names[durability],
      env: { DATABASE_URL: "sqlite::memory:", REDIS_URL: redis.url },
      restarts: options.short ? (isKept ? 2 : 1) : isKept ? 20 : 5,
      events: options.short ? 2000 : isKept ? 100_000 : 20_000,
      isReported: true, // by each kind: the channels cannot know what Redis keeps
      end: async () => {
        await redis.snapshot();
        await sleep(500); // what is published now is lost
        await redis.kill();
      },
      start: () => redis.start(),
    };
    await endure(store, figures, options, seed);
  } finally {
    await redis.remove();
  }
}

function endure(store: Restarted, figures: Figures, { short, say }: PartOptions, seed: number): Promise<void> {
  const { name, env, restarts, events, isReported } = store;
  const random = new Random(seed);
  return Feed.with({ env, bufferEvents, seed }, async (feed) => {
    const steady = await feed.addClients(steadyClients, { away: 100 });
    await feed.addClients(12, { stay: 800, away: 400 });
    await feed.start(rate);
    await feed.reachAll();
    let slowest = 0;
    for (let restart = 1; restart <= restarts; restart++) {
      say(`${name}: restart ${restart} of ${restarts}, ${await feed.count()} events`);
      await sleep((short ? 800 : 1800) + random.below(800));
      await store.end(restart);
      await sleep(random.below(500));
      await store.start();
      const back = Date.now();
      const late = sleep(longestWait, Number.POSITIVE_INFINITY, { ref: false });
      const times = await Promise.all(steady.map(({ record }) => Promise.race([record.hears(back), late])));
      slowest = Math.max(slowest, ...times);
    }
    const deadline = performance.now() + longestLoad;
    while ((await feed.count()) < events && performance.now() < deadline) await sleep(200);
    const acknowledged = await feed.count();
    feed.judge(figures, name, await feed.end("stop"));
    figures
      .show(`${name}: restarts`, restarts)
      .inTime(`${name}: delivery resumed after s`, slowest / 1000, 2)
      .holds(`${name}: ${events} events were acknowledged`, acknowledged >= events);
    if (isReported) figures.atLeast(`${name}: resets`, feed.resets, restarts * steadyClients);
    else figures.show(`${name}: resets`, feed.resets).exactly(`${name}: resets within the buffer`, feed.undueResets, 0);
  });
}
