// Loaded with --import into the service under test: replies to questions about its process.
import { readdirSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";

export interface Memory {
  /** Bytes, after garbage collection. */
  readonly rss: number;
  readonly heap: number;
  /** Bytes of buffers and other objects outside the heap. */
  readonly external: number;
  /** Open file descriptors. */
  readonly files: number;
  /** The resources that keep the event loop alive, by kind. */
  readonly resources: Readonly<Record<string, number>>;
  /** Unhandled rejections. */
  readonly unhandled: number;
}

export interface Delay {
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

// exists only with --expose-gc; "last-resort" also releases the pages that V8 would keep
const { gc } = globalThis as { readonly gc?: (options: object) => void };
const collect = () => gc?.({ type: "major", execution: "sync", flavor: "last-resort" });
const delay = monitorEventLoopDelay({ resolution: 1 });
let unhandled = 0;
process.on("unhandledRejection", () => {
  unhandled++;
});

async function measureMemory(): Promise<Memory> {
  for (let round = 0; round < 4; round++) {
    collect();
    await sleep(20); // finalizers and closed handles are done between two collections
  }
  const { rss, heapUsed, external } = process.memoryUsage();
  const resources: Record<string, number> = {};
  for (const name of process.getActiveResourcesInfo()) resources[name] = (resources[name] ?? 0) + 1;
  const files = readdirSync("/proc/self/fd").length - 1;
  return { rss, heap: heapUsed, external, files, resources, unhandled };
}

const prototypes = [Object.prototype, Array.prototype, Function.prototype, String.prototype];
const namesAtStart = prototypes.map((prototype) => Object.getOwnPropertyNames(prototype).join());

const replies: Record<string, () => unknown> = {
  /** Whether a built-in prototype was changed. */
  polluted: () =>
    "polluted" in {} ||
    prototypes.some((prototype, index) => Object.getOwnPropertyNames(prototype).join() !== namesAtStart[index]),
  memory: measureMemory,
  "begin delay": () => {
    delay.reset();
    delay.enable();
    return true;
  },
  "end delay": (): Delay => {
    delay.disable();
    return { p50: delay.percentile(50) / 1e6, p99: delay.percentile(99) / 1e6, max: delay.max / 1e6 };
  },
};

process.on("message", async (question: string) => {
  const reply = replies[question];
  if (reply !== undefined) process.send?.(await reply());
});
process.channel?.unref(); // must not keep the service running
