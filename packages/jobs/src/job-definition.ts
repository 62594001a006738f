import { randomInt } from "node:crypto";

import { type Contract, Dto, dto, type Schema } from "@tenon/core";
import {
  checkOptions,
  type Duration,
  type OptionTable,
  parseDuration,
  refuseOption,
  takes,
} from "@tenon/core/internal";

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

type TypesOf<S extends Schema> = NonNullable<S["~standard"]["types"]>;
/** What `enqueue()` takes for a job. */
export type JobInput<Input extends Schema> = Input extends Dto ? Input["input"] : TypesOf<Input>["input"];
/** What the handler of a job gets. */
export type JobValue<Input extends Schema> = TypesOf<Input>["output"];

const words = /^[a-z0-9][a-z0-9_-]*(?:\/[a-z0-9][a-z0-9_-]*)*$/;
export const queueName = /^[a-z0-9][a-z0-9_-]{0,99}$/;
const nothing = dto({});

export const queueCure = 'Use lower-case letters, digits, "-" and "_".';
export const attemptsCheck = takes.wholeNumber(1, 1_000_000);
export const priorityCheck = takes.wholeNumber(-1_000_000, 1_000_000);
const backoffTable: OptionTable<Backoff> = {
  first: takes.duration(),
  factor: takes.number(1),
  longest: takes.duration(),
  jitter: takes.number(0, 1),
};

/**
 * Declares a job. The name is stored with every job, so it must not change while jobs of that name wait. Its words are
 * also a command: "mails/welcome" is `mails welcome` at a terminal.
 */
export function defineJob<Input extends Schema = typeof nothing>(
  name: string,
  options: JobOptions<Input> = {},
): JobDefinition<Input> {
  const owner = `defineJob("${name}")`;
  if (typeof name !== "string" || name.length > 200 || !words.test(name)) {
    refuseOption(`${owner}: the name is lower-case words with "/" between them: "mails/welcome".`);
  }
  checkOptions(owner, options, {
    input: (input) =>
      input instanceof Dto && "enqueue" in input.fields
        ? 'has a field named "enqueue", which is the flag of every job at a terminal. Give it another name.'
        : undefined,
    summary: true,
    queue: takes.match(queueName, queueCure),
    attempts: attemptsCheck,
    backoff: typeof options.backoff === "function" ? true : backoffTable,
    timeout: takes.duration(),
    priority: priorityCheck,
    keep: { done: takes.duration(), dead: takes.duration() },
  });
  const { summary = "", queue = "default", attempts = 10, priority = 0, keep = {} } = options;
  const input = (options.input ?? nothing) as Input; // without an option, Input is the type of `nothing`
  return Object.freeze({
    name,
    input,
    summary,
    queue,
    attempts,
    priority,
    timeout: parseDuration(options.timeout ?? "15m"),
    keep: {
      done: keep.done === undefined ? undefined : parseDuration(keep.done),
      dead: keep.dead === undefined ? undefined : parseDuration(keep.dead),
    },
    pauseAfter: toPause(options.backoff ?? {}, owner),
  });
}

function toPause(backoff: Backoff | ((attempt: number) => Duration), owner: string): (attempt: number) => number {
  if (typeof backoff === "function") return (attempt) => parseDuration(backoff(attempt), `${owner}: the back-off`);
  const { factor = 2, jitter = 0.25 } = backoff;
  const first = parseDuration(backoff.first ?? "5s");
  const longest = parseDuration(backoff.longest ?? "1h");
  return (attempt) => {
    const pause = Math.min(longest, first * factor ** (attempt - 1));
    return Math.round(pause * (1 - jitter * (randomInt(1_000_001) / 1_000_000)));
  };
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
