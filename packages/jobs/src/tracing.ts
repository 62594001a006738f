import { tracingChannel } from "node:diagnostics_channel";
import { trace } from "@tenon/core/internal";
import type { TracedOutcome, Tracing } from "@tenon/core/platform";
import type { JobRow } from "./job-record.ts";
import type { Outcome } from "./store/job-store.ts";

/** What is stored with a job for its attempts: `{ traceparent }`. */
export type Carrier = Record<string, string>;

/** What `enqueue()` returns. */
interface Added {
  readonly id: number;
}

/** Characters of the JSON of a carrier. A longer one is not stored. */
const longestCarrier = 8192;

/** `tenon.enqueue`: jobs of one name that are added together. */
export class TracedEnqueue implements TracedOutcome {
  /** The name of the jobs. */
  readonly job: string;
  readonly queue: string;
  /** How many are added. */
  readonly count: number;
  /** Subscribers of `start` add to it, and it is stored with each of the jobs. */
  readonly carrier: Carrier = {};
  result?: Added | readonly Added[];
  error?: unknown;
  [state: symbol]: unknown;

  constructor(job: string, queue: string, count: number) {
    this.job = job;
    this.queue = queue;
    this.count = count;
  }

  /** The id of the first job, or of the older one that has its key. Undefined until the end. */
  get id(): number | undefined {
    return [this.result].flat()[0]?.id;
  }
}

/** `tenon.job`: one attempt to run a job. Its middlewares and handler are traced on their own. */
export class TracedJob implements TracedOutcome {
  readonly #row: JobRow;
  result?: Pick<Outcome, "state">;
  error?: unknown;
  [state: symbol]: unknown;

  constructor(row: JobRow) {
    this.#row = row;
  }

  /** The name of the job. */
  get job(): string {
    return this.#row.name;
  }

  get id(): number {
    return this.#row.id;
  }

  get queue(): string {
    return this.#row.queue;
  }

  /** From 1 on. */
  get attempt(): number {
    return this.#row.attempt;
  }

  /** What subscribers added when it was enqueued. */
  get carrier(): Carrier {
    return parseCarrier(this.#row.carrier);
  }

  /** What the attempt has made of the job: "scheduled" and "queued" run it again. Undefined until the end. */
  get state(): Outcome["state"] | undefined {
    return this.result?.state;
  }
}

export const enqueueTracing: Tracing<TracedEnqueue> = tracingChannel("tenon.enqueue");
export const jobTracing: Tracing<TracedJob> = tracingChannel("tenon.job");

/** Passes on the carrier as JSON; null without a subscriber that has added to it. */
export function traceEnqueue<Result>(
  { name, queue }: { readonly name: string; readonly queue: string },
  count: number,
  run: (carrier: string | null) => Result,
): Result {
  if (!enqueueTracing.hasSubscribers) return run(null);
  const payload = new TracedEnqueue(name, queue, count);
  return trace(enqueueTracing, payload, () => run(formatCarrier(payload.carrier)));
}

function formatCarrier(carrier: Carrier): string | null {
  const text = JSON.stringify(carrier);
  return text === "{}" || text.length > longestCarrier ? null : text;
}

function parseCarrier(text: string | null): Carrier {
  const entries = Object.entries(text === null ? {} : (JSON.parse(text) as Record<string, unknown>)); // formatCarrier() wrote it
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}
