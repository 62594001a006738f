import type { OnStop } from "@tenon/core";
import { connectToPrimary, endsWithin, readEnvironment, type WorkerPort } from "@tenon/core/internal";
import type { Family } from "../metrics/family.ts";

const channel = "metrics";
/** Milliseconds that the workers have for their metrics. A worker that is too late is left out. */
const timeout = 2500;

type ToPrimary = { readonly ask: number } | { readonly round: number; readonly families: readonly Family[] };
type ToWorker = { readonly round: number } | { readonly ask: number; readonly families: readonly Family[] };

/** Brings the metrics of all workers of a machine together: a scrape reaches only one of them. */
export class WorkerMetrics implements OnStop {
  readonly #primary = connectToPrimary(channel);
  readonly #waiting = new Map<number, (families: readonly Family[]) => void>();
  #asked = 0;
  #end: (() => void) | undefined;

  /** In a worker: replies with what `read` returns when another worker is scraped. */
  start(read: () => Promise<readonly Family[]>): void {
    this.#end = this.#primary?.listen((body) => {
      const message = body as ToWorker; // of our own primary
      if ("ask" in message) this.#waiting.get(message.ask)?.(message.families);
      else void read().then((families) => this.#send({ round: message.round, families: withWorker(families) }));
    });
  }

  onStop(): void {
    this.#end?.();
  }

  /** Those of all workers, each with a label; undefined in a process that is not a worker. */
  async collect(): Promise<readonly Family[] | undefined> {
    if (this.#primary === undefined) return undefined;
    const ask = ++this.#asked;
    const { promise, resolve } = Promise.withResolvers<readonly Family[]>();
    this.#waiting.set(ask, resolve);
    this.#send({ ask });
    const inTime = await endsWithin(promise, 2 * timeout);
    this.#waiting.delete(ask);
    return inTime ? promise : [];
  }

  onPrimary(workers: WorkerPort): void {
    const rounds = new Map<number, (families: readonly Family[]) => void>();
    let count = 0;
    workers.onMessage(channel, (body, reply) => {
      const message = body as ToPrimary; // of our own workers
      if ("families" in message) {
        rounds.get(message.round)?.(message.families);
        return;
      }
      const round = ++count;
      const all: (readonly Family[])[] = [];
      const finish = () => {
        clearTimeout(timer);
        rounds.delete(round);
        reply({ ask: message.ask, families: all.flat() } satisfies ToWorker);
      };
      const timer = setTimeout(finish, timeout);
      rounds.set(round, (families) => {
        all.push(families);
        if (all.length >= workers.count) finish();
      });
      workers.broadcast(channel, { round } satisfies ToWorker);
    });
  }

  #send(message: ToPrimary): void {
    this.#primary?.send(message);
  }
}

function withWorker(families: readonly Family[]): Family[] {
  const worker = String(readEnvironment().worker ?? "");
  return families.map((family) => ({
    ...family,
    samples: family.samples.map((sample) => ({ ...sample, labels: { ...sample.labels, worker } })),
  }));
}
