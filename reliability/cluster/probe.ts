import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { register } from "../../apps/reference/scripts/support/reference-app.ts";
import { Caller } from "../support/caller.ts";
import type { Cluster } from "./cluster.ts";
import type { Instance } from "./faults.ts";
import { until } from "./until.ts";

/** Milliseconds between the start of two requests of one kind. */
const pace = 100;
/** Milliseconds after which a response is not normal any more, and after which the probe does not wait longer. */
const normal = 1000;
const patience = 5000;

export type Operation = "read" | "write";

interface Trouble {
  readonly target: string;
  readonly operation: Operation;
  readonly from: number;
  readonly to: number;
}

/** Asks each instance directly, and the HTTP proxy, for a small read and a small write, all the time. */
export class Probe {
  readonly #callers: Caller[] = [];
  readonly #loops: Promise<void>[] = [];
  readonly #troubles: Trouble[] = [];
  readonly #harmed = new Set<string>();
  /** How often an instance was harmed or well again. */
  readonly #changes = new Map<string, number>();
  #isOver = false;

  static async start(cluster: Cluster): Promise<Probe> {
    const probe = new Probe();
    const token = await probe.#register(cluster.url);
    const targets = { ...cluster.instances, front: cluster };
    for (const [target, { url }] of Object.entries(targets)) {
      const caller = new Caller(url);
      probe.#callers.push(caller);
      const options = { token, timeout: patience };
      const { text } = await caller.call("POST", "/posts", { ...options, json: { title: target, content: "0" } });
      const { id } = JSON.parse(text) as { id: number }; // a post
      let count = 0;
      probe.#ask(target, "read", () => caller.call("GET", `/posts/${id}`, options));
      probe.#ask(target, "write", () =>
        caller.call("PATCH", `/posts/${id}`, { ...options, json: { content: `${++count}` } }),
      );
    }
    return probe;
  }

  setHarmed(instance: Instance, isHarmed: boolean): void {
    this.#changes.set(instance, (this.#changes.get(instance) ?? 0) + 1);
    if (isHarmed) this.#harmed.add(instance);
    else this.#harmed.delete(instance);
  }

  /** For how many seconds, since a time, responses of the worst target among these were not normal. */
  troubleSince(time: number, operation: Operation, targets: readonly string[]): number {
    const seconds = targets.map((target) => {
      const found = this.#troubles.filter((trouble) => trouble.target === target && trouble.operation === operation);
      return lengthOf(found.filter(({ from }) => from >= time)) / 1000;
    });
    return Math.max(0, ...seconds);
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#loops);
    for (const caller of this.#callers) caller.close();
  }

  /** A busy machine may refuse the first attempts with 503. */
  async #register(url: string): Promise<string> {
    let token: string | undefined;
    await until("the probe is registered", async () => {
      const email = `${randomUUID()}@example.com`;
      token = await register(url, { email, password: "correct horse", name: "Probe" }).catch(() => undefined);
      return token !== undefined;
    });
    return token ?? "";
  }

  #ask(target: string, operation: Operation, call: () => Promise<{ readonly status: number }>): void {
    const loop = async () => {
      while (!this.#isOver) {
        const from = performance.now();
        const changes = this.#changes.get(target);
        const isFine = await call().then(
          ({ status }) => status === 200,
          () => false,
        );
        const time = performance.now() - from;
        const isHealthy = !this.#harmed.has(target) && this.#changes.get(target) === changes;
        if (isHealthy && (!isFine || time > normal)) {
          this.#troubles.push({ target, operation, from, to: from + Math.max(time, pace) });
        }
        await sleep(Math.max(0, pace - time));
      }
    };
    this.#loops.push(loop());
  }
}

/** The length of the union, of intervals in the order of their starts. */
function lengthOf(troubles: readonly Trouble[]): number {
  let total = 0;
  let end = 0;
  for (const { from, to } of troubles) {
    total += Math.max(0, to - Math.max(from, end));
    end = Math.max(end, to);
  }
  return total;
}
