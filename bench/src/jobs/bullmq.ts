import { Queue, Worker } from "bullmq";
import { Redis } from "ioredis";
import type { EngineInfo, JobEngine, Settings } from "./engine.ts";

const queueName = "bench";
const shortest = { lockDuration: 1000, stalledInterval: 1000 };

/** A database of Redis that others hardly use: its connections can be cut without touching theirs. */
const db = 13;

/** The path of the URL is the prefix of the keys: each trial has its own. */
function connect(url: string) {
  const { hostname, port, pathname } = new URL(url);
  return { connection: { host: hostname, port: Number(port || 6379), db }, prefix: `bench${pathname}` };
}

export const bullmq: EngineInfo = {
  name: "bullmq",
  label: "BullMQ 6 on Redis",
  store: "redis",
  lock: { default: 30, shortest: 1 },
  afterCrash: "runs again after up to 60 s, once at most; no transactions",
  prepare: async () => {},
  clean: async (url) => {
    const queue = new Queue(queueName, connect(url));
    await queue.obliterate({ force: true });
    await queue.close();
  },
  open: async (url, settings) => createEngine(url, settings),
  async control(url) {
    const queue = new Queue(queueName, connect(url));
    queue.on("error", () => {});
    const redis = new Redis(connect(url).connection);
    redis.on("error", () => {});
    return {
      open: async () => {
        const jobs = await queue.getJobs(["active", "waiting", "delayed", "prioritized"]);
        return jobs.flatMap((job) => (job === undefined ? [] : [job.data.job]));
      },
      expireLocks: async () => {
        for (const key of await redis.keys(`${connect(url).prefix}:${queueName}:*:lock`)) await redis.del(key);
      },
      cutConnections: async () => {
        const clients = String(await redis.call("CLIENT", "LIST")).split("\n");
        for (const client of clients.filter((line) => line.includes(` db=${db} `))) {
          const id = /^id=(\d+)/.exec(client)?.[1] ?? "";
          await redis.call("CLIENT", "KILL", "ID", id, "SKIPME", "yes");
        }
      },
      close: async () => {
        await queue.obliterate({ force: true });
        await queue.close();
        redis.disconnect();
      },
    };
  },
};

function createEngine(url: string, settings: Settings): JobEngine {
  const queue = new Queue(queueName, connect(url));
  queue.on("error", () => {});
  let worker: Worker | undefined;
  return {
    async enqueue(jobs) {
      await queue.addBulk(jobs.map((data) => ({ name: "bench", data })));
    },
    async work({ concurrency, run }) {
      const options = { ...connect(url), concurrency, ...(settings === "shortest" ? shortest : {}) };
      worker = new Worker(queueName, async ({ data }, _token, signal) => run(data, signal), options);
      worker.on("error", () => {});
      await worker.waitUntilReady();
    },
    async stop() {
      await worker?.close();
      await queue.close();
    },
  };
}
