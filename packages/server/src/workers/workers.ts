import type { Cluster, Worker } from "node:cluster";
import { setTimeout as sleep } from "node:timers/promises";
import { endsWithin } from "../body/ends-within.ts";
import type { ServerLog } from "../options.ts";
import { isWorkerMessage, toWorkerMessage, type WorkerPort } from "./primary.ts";

export interface BoundAddress {
  readonly address: string;
  readonly port: number;
}

/** Messages between a worker and its primary. Not signals: a terminal sends those to all of them at once. */
type Say = { readonly tenon: "stop" } | { readonly tenon: "ready"; readonly address: BoundAddress };

const firstDelay = 100;
const longestDelay = 30_000;
/** A worker that has served for so long has not failed to start. */
const stableAfter = 10_000;
/** How long a worker that replaces another one may take until it serves. */
const startTimeout = 60_000;
/** How long a new worker serves beside the old one: code that crashes at its first requests must not replace code that works. */
const settleTime = 1000;
const stopMargin = 1000;

interface Slot {
  worker: Worker;
  /** The worker that replaces it in a rolling restart. */
  next: Worker | undefined;
  /** Consecutive workers that did not run for long. */
  failures: number;
}

/** Several processes that run the same entry point and share its port: the primary, which serves no requests itself. */
export class Workers implements WorkerPort {
  readonly #cluster = process.getBuiltinModule("node:cluster") as unknown as Cluster; // its default export
  readonly #count: number;
  readonly #log: ServerLog;
  readonly #stopTimeouts: readonly [serving: number, starting: number];
  readonly #slots = new Map<number, Slot>();
  /** All workers that have not exited, with the time at which each began to serve. */
  readonly #running = new Map<Worker, number | undefined>();
  readonly #listeners = new Map<string, Parameters<WorkerPort["onMessage"]>[1]>();
  #started = false;
  #stopping = false;
  #restarting = false;
  #restartAgain = false;

  /** `requests`, `hooks`: the milliseconds that a worker has for each of them in a stop. Later it is killed. */
  constructor(count: number, log: ServerLog, requests: number, hooks: number) {
    this.#count = count;
    this.#log = log;
    // jobs have as long as hooks, and end beside the requests; the worker must have time to log what did not end
    this.#stopTimeouts = [Math.max(requests, hooks) + hooks + stopMargin, Math.min(requests, hooks)];
    // each worker accepts for itself: a connection that waits in the primary is lost with it, or with the worker that it was sent to
    this.#cluster.schedulingPolicy = this.#cluster.SCHED_NONE;
  }

  /**
   * Resolves once all workers serve or have failed to, and rejects when they are stopped before. The first one starts
   * alone: a start error is printed once, and work that it does once for the machine is done when the others start. One
   * that fails after it, such as in an outage of the database, is replaced: the first one serves.
   */
  async start(): Promise<BoundAddress> {
    const address = await this.#startSlot(1);
    await Promise.allSettled(Array.from({ length: this.#count - 1 }, (_, index) => this.#startSlot(index + 2)));
    this.#checkStopped();
    this.#started = true;
    if (this.#restartAgain) this.restart();
    for (const [id, { worker }] of this.#slots) if (worker.isDead()) this.#onExit(id, worker, "an early exit");
    return address;
  }

  get count(): number {
    return [...this.#running.values()].filter((since) => since !== undefined).length;
  }

  onMessage(channel: string, listener: Parameters<WorkerPort["onMessage"]>[1]): void {
    this.#listeners.set(channel, listener);
  }

  broadcast(channel: string, body: unknown): void {
    for (const worker of this.#running.keys()) send(worker, toWorkerMessage(channel, body));
  }

  /** Ends all workers and waits for them. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all([...this.#running.keys()].map((worker) => this.#stopWorker(worker)));
  }

  /** Replaces the workers one after the other: the old one stops when the new one serves. */
  restart(): void {
    // those that are starting may have read the old code
    this.#restartAgain = this.#restarting || !this.#started;
    if (this.#restartAgain) return;
    this.#restarting = true;
    void this.#replaceAll().finally(() => {
      this.#restarting = false;
      if (this.#restartAgain) this.restart();
    });
  }

  async #replaceAll(): Promise<void> {
    this.#log.info({}, "SIGHUP: restarting the workers");
    const replaced: Worker[] = [];
    for (const [id, slot] of this.#slots) {
      if (this.#stopping) return;
      const next = this.#fork(id);
      slot.next = next;
      const isReady = await endsWithin(untilSettled(next), startTimeout).catch(() => false);
      slot.next = undefined;
      if (this.#stopping) return;
      if (!isReady || replaced.some((worker) => worker.isDead())) {
        next.process.kill("SIGKILL");
        this.#log.error({ worker: id }, "the new worker did not start: the old ones go on");
        if (slot.worker.isDead()) this.#onExit(id, slot.worker, "an exit during the restart");
        return;
      }
      const old = slot.worker;
      slot.worker = next;
      replaced.push(next);
      await this.#stopWorker(old);
    }
    this.#log.info({}, "the workers were restarted");
  }

  async #startSlot(id: number): Promise<BoundAddress> {
    this.#checkStopped();
    const worker = this.#fork(id);
    this.#slots.set(id, { worker, next: undefined, failures: 0 });
    return untilReady(worker);
  }

  #checkStopped(): void {
    if (this.#stopping) throw new Error("the workers were stopped during their start");
  }

  #fork(id: number): Worker {
    const worker = this.#cluster.fork({ TENON_WORKER: String(id) });
    this.#running.set(worker, undefined);
    worker.on("error", ignore); // `exit` follows
    worker.on("message", (message: Say) => {
      if (isWorkerMessage(message)) {
        const { channel, body } = message;
        this.#listeners.get(channel)?.(body, (reply) => send(worker, toWorkerMessage(channel, reply)));
      }
      if (message.tenon !== "ready") return;
      this.#running.set(worker, performance.now());
      if (this.#stopping) send(worker, { tenon: "stop" }); // it did not listen for messages before
    });
    worker.once("exit", (code: number | null, signal: string | null) => this.#onExit(id, worker, signal ?? code));
    return worker;
  }

  #onExit(id: number, worker: Worker, reason: string | number | null): void {
    const slot = this.#slots.get(id);
    const readySince = this.#running.get(worker);
    this.#running.delete(worker);
    const isNeeded = this.#started && !this.#stopping && slot?.worker === worker && slot.next === undefined;
    if (!isNeeded) return;
    const isStable = readySince !== undefined && performance.now() - readySince >= stableAfter;
    const failures = isStable ? 0 : slot.failures;
    const delay = Math.min(longestDelay, firstDelay * 2 ** failures);
    slot.failures = failures + 1;
    this.#log.error({ worker: id }, `the worker ended with ${reason}: a new one starts in ${delay} ms`);
    setTimeout(() => {
      if (!this.#stopping && slot.worker === worker && slot.next === undefined) void this.#replace(id, slot);
    }, delay);
  }

  /** Starts a worker, and kills it when it is not ready in time: its exit starts another one. */
  async #replace(id: number, slot: Slot): Promise<void> {
    const worker = this.#fork(id);
    slot.worker = worker;
    if (await endsWithin(untilReady(worker), startTimeout).catch(() => true)) return;
    this.#log.error({ worker: id }, `the worker did not start in ${startTimeout / 1000} s and was killed`);
    worker.process.kill("SIGKILL");
  }

  async #stopWorker(worker: Worker): Promise<void> {
    if (worker.isDead()) return;
    const exited = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
    send(worker, { tenon: "stop" });
    const [serving, starting] = this.#stopTimeouts;
    const isServing = this.#running.get(worker) !== undefined;
    if (await endsWithin(exited, isServing ? serving : starting)) return;
    this.#log.error({}, "a worker did not stop in time and was killed");
    worker.process.kill("SIGKILL");
    await exited;
  }
}

/** Rejects when the worker exits first. Its own message says why. */
function untilReady(worker: Worker): Promise<BoundAddress> {
  return new Promise((resolve, reject) => {
    worker.once("exit", (code: number | null, signal: string | null) => {
      reject(new Error(`the worker ended with ${code ?? signal}`));
    });
    worker.on("message", (message: Say) => {
      if (message.tenon === "ready") resolve(message.address);
    });
  });
}

/** Rejects when the worker exits before it has served for a moment. */
async function untilSettled(worker: Worker): Promise<void> {
  await untilReady(worker);
  await sleep(settleTime);
  if (worker.isDead()) throw new Error("the worker ended right after its start");
}

function send(worker: Worker, message: object): void {
  if (worker.isConnected()) worker.send(message, ignore); // it may be gone: `exit` follows
}

/** In a worker: stops when the primary says so, and ignores signals. */
export function obeyPrimary(stop: () => Promise<void>, log: ServerLog): void {
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, ignore);
  let stopping = false;
  process.on("message", (message: Say) => {
    if (message.tenon !== "stop" || stopping) return;
    stopping = true;
    log.info({}, "stopping");
    stop()
      .catch((error: unknown) => log.error({ err: error }, "the stop failed"))
      .finally(() => process.exit(0));
  });
}

export function tellReady(address: BoundAddress): void {
  const message: Say = { tenon: "ready", address };
  process.send?.(message, undefined, {}, ignore); // without a primary the process ends by itself
}

function ignore(): void {}
