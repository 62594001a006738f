import { setImmediate as turn } from "node:timers/promises";
import { KeyValue, type SetOptions } from "@tenon/data";

/** Holds a call to the store until it is the caller's turn. */
class Gate {
  #waiting: (() => void) | undefined;

  get isWaiting(): boolean {
    return this.#waiting !== undefined;
  }

  pass(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting = resolve;
    });
  }

  open(): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.();
  }
}

/** A store as one instance sees it: every call waits until the test releases it. */
export class SteppedKeyValue extends KeyValue {
  readonly #store: KeyValue;
  /** Undefined: calls do not wait. */
  gate: Gate | undefined;

  constructor(store: KeyValue) {
    super();
    this.#store = store;
  }

  async get<T>(key: string): Promise<T | undefined> {
    await this.gate?.pass();
    return this.#store.get<T>(key);
  }

  async set(key: string, value: unknown, options?: SetOptions): Promise<void> {
    await this.gate?.pass();
    await this.#store.set(key, value, options);
  }

  async delete(key: string): Promise<boolean> {
    await this.gate?.pass();
    return this.#store.delete(key);
  }

  async take<T>(key: string): Promise<T | undefined> {
    await this.gate?.pass();
    return this.#store.take<T>(key);
  }

  async increment(key: string, options?: SetOptions): Promise<number> {
    await this.gate?.pass();
    return this.#store.increment(key, options);
  }

  async ttl(key: string): Promise<number | undefined> {
    await this.gate?.pass();
    return this.#store.ttl(key);
  }
}

export interface Actor<T> {
  readonly store: SteppedKeyValue;
  readonly run: () => Promise<T>;
}

/** Every order in which the calls of two actors can reach the store, up to the given number of calls; then the results. */
export async function* interleavings<A, B>(
  calls: number,
  prepare: () => Promise<readonly [Actor<A>, Actor<B>]>,
): AsyncGenerator<{ readonly order: string; readonly results: readonly [A, B] }> {
  for (let schedule = 0; schedule < 2 ** calls; schedule++) {
    const [first, second] = await prepare();
    const gates = [new Gate(), new Gate()] as const;
    first.store.gate = gates[0];
    second.store.gate = gates[1];
    const running = Promise.all([first.run(), second.run()] as const);
    const order: string[] = [];
    for (let call = 0; ; call++) {
      await turn(); // until both wait at their gates, or are done
      const waiting = gates.filter((gate) => gate.isWaiting);
      if (waiting.length === 0) break;
      const chosen = gates[(schedule >> call) & 1] ?? gates[0];
      const next = chosen.isWaiting ? chosen : waiting[0];
      order.push(next === gates[0] ? "a" : "b");
      next?.open();
    }
    first.store.gate = undefined;
    second.store.gate = undefined;
    yield { order: order.join(""), results: await running };
  }
}

/**
 * Lets the calls of two actors reach the store in exactly this order, one letter a call: "aab" is two of the first, then
 * one of the second. Calls after the end of the order do not wait. Returns the results of both.
 */
export async function runInOrder<A, B>(
  order: string,
  first: Actor<A>,
  second: Actor<B>,
): Promise<{ readonly a: A; readonly b: B }> {
  const gates = { a: new Gate(), b: new Gate() };
  first.store.gate = gates.a;
  second.store.gate = gates.b;
  const done = { a: false, b: false };
  const a = first.run().finally(() => {
    done.a = true;
  });
  const b = second.run().finally(() => {
    done.b = true;
  });
  a.catch(() => {}); // reported below
  b.catch(() => {});
  const arrives = async (name: "a" | "b") => {
    while (!gates[name].isWaiting && !done[name]) await turn();
  };
  for (const letter of order) {
    const name = letter === "a" ? "a" : "b";
    await arrives(name);
    if (done[name]) throw new Error(`"${order}": ${name} was done before its turn came`);
    gates[name].open();
    await arrives(name); // its call has returned
  }
  first.store.gate = undefined;
  second.store.gate = undefined;
  gates.a.open();
  gates.b.open();
  return { a: await a, b: await b };
}
