import type { Cluster, Address as ClusterAddress, Worker } from "node:cluster";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { stopMessage } from "../boot/signals.ts";
import type { Log } from "../log/log.ts";

const firstDelay = 100;
const longestDelay = 30_000;
/** A worker that has run for so long has not failed to start. */
const stableAfter = 10_000;

interface Slot {
  readonly id: number;
  worker: Worker;
  startedAt: number;
  /** Consecutive restarts of a worker that did not run for long. */
  failures: number;
}

/** Several processes that run the same entry point and share its port: the primary, which serves no requests itself. */
export class Workers {
  readonly #cluster: Cluster = process.getBuiltinModule("node:cluster") as unknown as Cluster; // its default export
  readonly #count: number;
  readonly #log: Log;
  readonly #slots = new Map<number, Slot>();
  #started = false;
  #stopping = false;
  #restarting: Promise<void> | undefined;

  constructor(count: number, log: Log) {
    this.#count = count;
    this.#log = log;
  }

  /**
   * Resolves once all workers listen. The first one starts alone: a start error is printed once, and work that it does
   * once for the machine is done when the others start.
   */
  async start(): Promise<ClusterAddress> {
    const address = await this.#startSlot(1);
    await Promise.all(Array.from({ length: this.#count - 1 }, (_, index) => this.#startSlot(index + 2)));
    this.#started = true;
    return address;
  }

  /** Ends all workers and waits for them. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all([...this.#slots.values()].map(({ worker }) => stopWorker(worker)));
  }

  /** Replaces the workers one after the other: the old one stops when the new one listens. */
  restart(): Promise<void> {
    this.#restarting ??= this.#replaceAll().finally(() => {
      this.#restarting = undefined;
    });
    return this.#restarting;
  }

  async #replaceAll(): Promise<void> {
    this.#log.info("SIGHUP: restarting the workers");
    for (const slot of [...this.#slots.values()]) {
      if (this.#stopping) return;
      const old = slot.worker;
      const next = this.#fork(slot.id);
      try {
        await untilListening(next);
      } catch (error) {
        this.#log.error({ worker: slot.id, err: error }, "the new worker did not start: the old ones go on");
        return;
      }
      this.#put(slot.id, next);
      await stopWorker(old);
    }
    this.#log.info("the workers were restarted");
  }

  async #startSlot(id: number): Promise<ClusterAddress> {
    const worker = this.#fork(id);
    this.#put(id, worker);
    return untilListening(worker);
  }

  #fork(id: number): Worker {
    return this.#cluster.fork({ TENON_WORKER: String(id) });
  }

  #put(id: number, worker: Worker, failures = 0): void {
    const slot: Slot = { id, worker, startedAt: performance.now(), failures };
    this.#slots.set(id, slot);
    worker.once("exit", (code: number | null, signal: string | null) => {
      const isNeeded = this.#started && !this.#stopping && this.#slots.get(id)?.worker === worker;
      if (isNeeded) void this.#replaceCrashed(slot, signal ?? code);
    });
  }

  async #replaceCrashed(slot: Slot, reason: string | number | null): Promise<void> {
    const wasStable = performance.now() - slot.startedAt >= stableAfter;
    const failures = wasStable ? 0 : slot.failures + 1;
    const delay = Math.min(longestDelay, firstDelay * 2 ** failures);
    this.#log.error({ worker: slot.id }, `the worker ended with ${reason}: a new one starts in ${delay} ms`);
    await sleep(delay);
    if (!this.#stopping && this.#slots.get(slot.id) === slot) this.#put(slot.id, this.#fork(slot.id), failures);
  }
}

async function stopWorker(worker: Worker): Promise<void> {
  if (worker.isDead()) return;
  const exited = once(worker, "exit");
  if (worker.isConnected()) worker.send(stopMessage);
  else worker.process.kill("SIGTERM");
  await exited;
}

/** Rejects when the worker exits first. Its own message says why. */
function untilListening(worker: Worker): Promise<ClusterAddress> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null, signal: string | null) =>
      reject(new Error(`the worker ended with ${code ?? signal}`));
    worker.once("exit", onExit);
    worker.once("listening", (address) => {
      worker.off("exit", onExit);
      resolve(address);
    });
  });
}
