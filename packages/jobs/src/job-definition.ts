import { randomInt } from "node:crypto";
import { type Contract, Dto, dto, type Schema } from "@tenon/core";
import { checkNames, type InferInput, type InferOutput, namesOf, refuseOption } from "@tenon/core/platform";
import { type Duration, parseDuration } from "./duration.ts";

export interface Backoff {
  /** The pause after the first failed attempt. Defaults to "5s". */
  readonly first?: Duration;
  /** What each further pause is multiplied by. Defaults to 2. */
  readonly factor?: number;
  /** Defaults to "1h". */
  readonly longest?: Duration;
  /** The part of a pause that is random, 0 to 1, so that jobs which failed together are not retried together. Defaults to 0.25. */
  readonly jitter?: number;
}

export interface JobOptions<Input extends Schema = Schema> {
  /** What the job is given: a `dto()` or any Standard Schema. Checked when it is enqueued and when it runs. Defaults to nothing. */
  readonly input?: Input;
  /** One line, for `--help`. */
  readonly summary?: string;
  /** Defaults to "default". */
  readonly queue?: string;
  /** How often the job is started before it is dead. A crash of its process counts. Defaults to 10. */
  readonly attempts?: number;
  /** The pauses between attempts: options of an exponential back-off, or a function of the attempt that failed, from 1 on. */
  readonly backoff?: Backoff | ((attempt: number) => Duration);
  /** How long one attempt may take before `ctx.signal` is aborted. Defaults to "15m". */
  readonly timeout?: Duration;
  /** Jobs with a larger number start first. Defaults to 0. */
  readonly priority?: number;
  /** How long a finished job and its result are kept. Defaults to the settings of the module. */
  readonly keep?: { readonly done?: Duration; readonly dead?: Duration };
}

/** What a job is called and how it is run: `defineJob()`. */
export interface JobDefinition<Input extends Schema = Schema> {
  readonly name: string;
  readonly input: Input;
  readonly summary: string;
  readonly queue: string;
  readonly attempts: number;
  readonly priority: number;
  /** Milliseconds. */
  readonly timeout: number;
  readonly keep: { readonly done: number | undefined; readonly dead: number | undefined };
  /** Milliseconds between an attempt that failed, from 1 on, and the next. */
  readonly pauseAfter: (attempt: number) => number;
}

/** What `enqueue()` takes for a job. */
export type JobInput<Input extends Schema> = Input extends Dto<infer Value> ? Value : InferInput<Input>;
/** What the handler of a job gets. */
export type JobValue<Input extends Schema> = InferOutput<Input>;

const optionNames = namesOf<JobOptions>({
  input: true,
  summary: true,
  queue: true,
  attempts: true,
  backoff: true,
  timeout: true,
  priority: true,
  keep: true,
});
const words = /^[a-z0-9][a-z0-9_-]*(?:\/[a-z0-9][a-z0-9_-]*)*$/;
const queueName = /^[a-z0-9][a-z0-9_-]{0,99}$/;
const nothing = dto({});

/**
 * Declares a job. The name is stored with every job, so it must not change while jobs of that name wait. Its words are
 * also a command: "mails/welcome" is `mails welcome` at a terminal.
 */
export function defineJob<Input extends Schema = typeof nothing>(
  name: string,
  options: JobOptions<Input> = {},
): JobDefinition<Input> {
  const taker = `defineJob("${name}")`;
  if (typeof name !== "string" || name.length > 200 || !words.test(name)) {
    refuseOption(`${taker}: the name is lower-case words with "/" between them: "mails/welcome".`);
  }
  checkNames(taker, options, optionNames);
  const { summary = "", queue = "default", attempts = 10, priority = 0, keep = {} } = options;
  checkQueueName(queue, taker);
  if (!Number.isSafeInteger(attempts) || attempts < 1 || attempts > 1_000_000) {
    refuseOption(`${taker}: attempts is ${String(attempts)}. It takes a whole number from 1.`);
  }
  checkPriority(priority, taker);
  const input = (options.input ?? nothing) as Input; // without an option, Input is the type of `nothing`
  if (input instanceof Dto && "enqueue" in input.fields) {
    refuseOption(`${taker}: a field named "enqueue" is the flag of every job at a terminal. Give it another name.`);
  }
  const period = (value: Duration, what: string) => readDuration(value, `${taker}: ${what}`);
  return Object.freeze({
    name,
    input,
    summary,
    queue,
    attempts,
    priority,
    timeout: period(options.timeout ?? "15m", "timeout"),
    keep: {
      done: keep.done === undefined ? undefined : period(keep.done, "keep.done"),
      dead: keep.dead === undefined ? undefined : period(keep.dead, "keep.dead"),
    },
    pauseAfter: toPause(options.backoff ?? {}, taker),
  });
}

function toPause(backoff: Backoff | ((attempt: number) => Duration), taker: string): (attempt: number) => number {
  if (typeof backoff === "function") return (attempt) => parseDuration(backoff(attempt), `${taker}: the back-off`);
  const { factor = 2, jitter = 0.25 } = backoff;
  const first = readDuration(backoff.first ?? "5s", `${taker}: backoff.first`);
  const longest = readDuration(backoff.longest ?? "1h", `${taker}: backoff.longest`);
  if (!(factor >= 1) || !(jitter >= 0 && jitter <= 1)) {
    refuseOption(`${taker}: backoff takes a factor from 1 and a jitter from 0 to 1.`);
  }
  return (attempt) => {
    const pause = Math.min(longest, first * factor ** (attempt - 1));
    return Math.round(pause * (1 - jitter * (randomInt(1_000_001) / 1_000_000)));
  };
}

export function readDuration(value: Duration, name: string): number {
  try {
    return parseDuration(value, name);
  } catch (error) {
    return refuseOption(error instanceof Error ? error.message : String(error));
  }
}

export function checkQueueName(queue: string, taker: string): void {
  if (typeof queue === "string" && queueName.test(queue)) return;
  refuseOption(`${taker}: the queue ${JSON.stringify(queue)} is no name. Use lower-case letters, digits, "-" and "_".`);
}

export function checkPriority(priority: number, taker: string): void {
  if (Number.isSafeInteger(priority) && Math.abs(priority) <= 1_000_000) return;
  refuseOption(`${taker}: priority is ${String(priority)}. It takes a whole number from -1000000 to 1000000.`);
}

const definitionKey = Symbol("tenon.job");

/** The contract of the route that runs a job. */
export function toJobContract(definition: JobDefinition, query: Schema): Contract {
  const { summary, input } = definition;
  const contract: Contract = { ...(summary === "" ? {} : { summary }), query, body: input };
  return Object.assign(contract, { [definitionKey]: definition });
}

/** The job that a route runs; undefined for other routes. */
export function definitionOf(contract: Contract | undefined): JobDefinition | undefined {
  return (contract as { readonly [definitionKey]?: JobDefinition } | undefined)?.[definitionKey]; // only toJobContract() sets it
}
