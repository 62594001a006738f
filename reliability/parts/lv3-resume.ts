import { Random } from "../../packages/core/test/support/random.ts";
import { Figures, type Part, type PartOptions } from "../part.ts";
import { Feed } from "../support/feed.ts";
import { type FeedStoreCase, feedStores } from "../support/feed-stores.ts";

/** Events per second of both instances together. */
const rate = 2000;
/** More than are published while a client is away. */
const bufferEvents = 20_000;
/** Milliseconds: at this rate, up to 4,000 events are missed, more than may wait for a client that reads too slowly. */
const longestAway = 2000;

export const part: Part = {
  id: "LV3",
  title: "live channels of two instances on Redis and on PostgreSQL, with clients that reconnect at random to either",
  bar: "100,000 events on each: no gap and no duplicate within the buffer, one order for all clients; a client that was away for longer gets a reset",
  needs: ["postgres", "redis"],
  async run(options) {
    const { seed } = new Random(options.seed);
    const figures = new Figures().show("seed", String(seed));
    for (const store of feedStores) {
      await resume(figures, store, options, seed);
      await fallBehind(figures, store, options, seed);
    }
    return figures.done();
  },
};

/** All clients stay within the buffer. */
function resume(figures: Figures, { name, with: run }: FeedStoreCase, { short, say }: PartOptions, seed: number) {
  const events = short ? 5000 : 100_000;
  return run((env) =>
    Feed.with({ env, bufferEvents, seed }, async (feed) => {
      await feed.addClients(4, { away: 200 }); // never leave by themselves
      await feed.addClients(8, { stay: 600, away: 200 });
      await feed.addClients(4, { stay: 1000, away: longestAway });
      await feed.start(rate, events);
      const progress = setInterval(() => say(`${name}: ${feed.connections} connections`), 1000);
      const published = await feed.end("finish");
      clearInterval(progress);
      feed.judge(figures, name, published);
      figures
        .show(`${name}: resets`, feed.resets) // of clients that a busy machine serves too slowly
        .exactly(`${name}: resets within the buffer`, feed.undueResets, 0);
    }),
  );
}

/** Clients that are away for longer than the buffer lasts: what they have missed must be reported. */
function fallBehind(figures: Figures, { name, with: run }: FeedStoreCase, { short, say }: PartOptions, seed: number) {
  const events = short ? 3000 : 20_000;
  say(`${name}: a small buffer`);
  return run((env) =>
    Feed.with({ env, bufferEvents: 50, seed }, async (feed) => {
      await feed.addClients(12, { stay: 300, away: 600 });
      await feed.start(500, events);
      feed.judge(figures, `${name}, small buffer`, await feed.end("finish"));
      figures.exactly(`${name}, small buffer: resets within it`, feed.undueResets, 0);
      // PostgreSQL is swept every 30 s: in the short form the buffer keeps everything
      figures.atLeast(`${name}, small buffer: resets`, feed.resets, short && name === "PostgreSQL" ? 0 : 1);
    }),
  );
}
