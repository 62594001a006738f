import { checkOptions, type Duration, parseDuration, validate } from "@tenon/core/internal";
import { attemptsCheck, type JobDefinition, priorityCheck } from "./job-definition.ts";
import type { NewJobs } from "./store/job-store.ts";
import type { Executor } from "./store/statement.ts";

export interface EnqueueOptions {
  /** The transaction of `db.transaction()`: the job exists if and only if it commits. */
  readonly transaction?: Executor;
  /** How long the job waits before it may start. */
  readonly delay?: Duration;
  /** When the job may start. Not together with `delay`. */
  readonly runAt?: Date;
  /** Jobs with a larger number start first. Defaults to that of the job. */
  readonly priority?: number;
  /** A second job with the same name and key is not added while the first one waits or runs. */
  readonly key?: string | number;
  /** How long a key stays taken, counted from now, also when the first job has ended. Defaults to the end of the job. */
  readonly keyFor?: Duration;
  /** Defaults to that of the job. */
  readonly attempts?: number;
}

/** Bytes of the JSON of an input. Files do not belong in a row. */
const largestInput = 1024 * 1024;

/** The input as JSON, after a check of what a worker will read. */
export async function toStoredInput(definition: JobDefinition, input: unknown): Promise<string> {
  const text: string | undefined = JSON.stringify(input);
  if (text === undefined) throw new TypeError(`the input of job "${definition.name}" is ${typeof input}, not JSON`);
  const size = Buffer.byteLength(text);
  if (size > largestInput) {
    throw new RangeError(
      `the input of job "${definition.name}" has ${size} bytes, of at most ${largestInput}. Store the data elsewhere and pass its id.`,
    );
  }
  await validate(definition.input, { value: JSON.parse(text), fromText: false });
  return text;
}

export function toNewJobs(definition: JobDefinition, options: Omit<EnqueueOptions, "key">): NewJobs {
  const { name, queue } = definition;
  const owner = `enqueue("${name}")`;
  const { delay, runAt, keyFor, priority = definition.priority, attempts = definition.attempts } = options;
  if (delay !== undefined && runAt !== undefined) throw new TypeError(`${owner} takes delay or runAt, not both`);
  if (runAt !== undefined && Number.isNaN(runAt.getTime())) throw new RangeError(`${owner}: runAt is an invalid date`);
  checkOptions(owner, { attempts, priority }, { attempts: attemptsCheck, priority: priorityCheck });
  return {
    name,
    queue,
    priority,
    attempts,
    delay: delay === undefined ? 0 : parseDuration(delay, `${owner}: delay`),
    runAt: runAt?.getTime(),
    keyPeriod: keyFor === undefined ? undefined : parseDuration(keyFor, `${owner}: keyFor`),
  };
}

export function toKey(key: string | number | undefined): string | null {
  if (key === undefined) return null;
  const text = String(key);
  if (text === "" || text.length > 1000 || text.includes("\0") || !text.isWellFormed()) {
    throw new RangeError("a key of a job has 1 to 1000 characters, none of them U+0000 or half a surrogate pair");
  }
  return text;
}
