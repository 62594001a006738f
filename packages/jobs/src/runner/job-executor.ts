import { BindError, inject, Log, type Problem, type Reply, StartError } from "@tenon/core";
import { messageOf, trace, validate } from "@tenon/core/internal";
import { Background, type RequestHandler } from "@tenon/core/platform";
import { describeDuration } from "../describe-duration.ts";
import { definitionOf, type JobDefinition } from "../job-definition.ts";
import { JobLinks } from "../job-links.ts";
import { JobSettings } from "../settings.ts";
import type { Outcome } from "../store/job-store.ts";
import { jobTracing, TracedJob } from "../tracing.ts";
import { UnrecoverableError } from "../unrecoverable-error.ts";
import { firstLine, toErrorText } from "./error-text.ts";
import { JobIncoming, type JobRun } from "./job-incoming.ts";
import { createJobPlatform, JobOutgoing } from "./job-platform.ts";

export interface JobHandler {
  readonly definition: JobDefinition;
  readonly path: string;
}

/** Milliseconds after which a job without a handler is looked at again, because a newer process may have one. They double. */
export const unknownPauses = { first: 15_000, longest: 900_000 } as const;
export const noHandlerFor = (name: string) => `no handler for job "${name}" in this application`;
/** Milliseconds that a handler has to end after its signal was aborted. */
const abortGrace = 5000;
/** Milliseconds until the next attempt of a job whose own back-off throws. */
const brokenPause = 60_000;
const longestTimer = 2 ** 31 - 1; // node:timers treats a longer delay as one millisecond
/** Bytes of the JSON of a result. */
const largestResult = 1024 * 1024;

/** Runs one attempt of a job through the kernel, and decides the next state of the job. */
export class JobExecutor {
  readonly #background = inject(Background);
  readonly #settings = inject(JobSettings);
  readonly #links = inject(JobLinks);
  readonly #log = inject(Log);
  readonly #unknown = new Map<string, number>();
  #opened: { readonly kernel: RequestHandler; readonly handlers: ReadonlyMap<string, JobHandler> } | undefined;

  /** The jobs that this application can run, by name. */
  get handlers(): ReadonlyMap<string, JobHandler> {
    return this.#open().handlers;
  }

  /** The queues of these jobs. */
  get queues(): readonly string[] {
    return [...new Set(this.handlers.values().map(({ definition }) => definition.queue))].sort();
  }

  /** How often a job without a handler was met since the last call, by its name. */
  takeUnknown(): ReadonlyMap<string, number> {
    const counts = new Map(this.#unknown);
    this.#unknown.clear();
    return counts;
  }

  addUnknown(name: string, count: number): void {
    this.#unknown.set(name, (this.#unknown.get(name) ?? 0) + count);
  }

  execute(run: JobRun): Promise<Outcome> {
    if (!jobTracing.hasSubscribers) return this.#execute(run);
    const payload = new TracedJob(run.row);
    return trace(jobTracing, payload, async () => {
      const outcome = await this.#execute(run);
      if (run.error === undefined) return outcome;
      payload.error = run.error;
      jobTracing.error.publish(payload);
      return outcome;
    });
  }

  async #execute(run: JobRun): Promise<Outcome> {
    const { row } = run;
    const handler = this.handlers.get(row.name);
    if (handler === undefined) {
      this.addUnknown(row.name, 1);
      const error = noHandlerFor(row.name);
      // the starts that did not count
      const delay = Math.min(unknownPauses.longest, unknownPauses.first * 2 ** (row.claim - row.attempt));
      return { ...this.#outcome(run, "scheduled"), error, delay, refund: true };
    }
    const { definition } = handler;
    const started = performance.now();
    try {
      await validate(definition.input, { value: JSON.parse(row.input), fromText: false });
    } catch (error) {
      if (error instanceof BindError)
        return this.#die(run, definition, `the input is invalid: ${describeIssues(error)}`);
      return this.#fail(run, definition, error);
    }
    const outgoing = await this.#runInTime(run, handler);
    if (outgoing.reply === undefined) return this.#fail(run, definition, outgoing.error);
    if (outgoing.status >= 400) return this.#fail(run, definition, new Error(messageOf(outgoing.reply)));
    const time = Math.round(performance.now() - started);
    this.#log.debug({ job: row.id, attempt: row.attempt, ms: time }, `${row.name}: done`);
    const keep = definition.keep.done ?? this.#settings.keep.done;
    return { ...this.#outcome(run, "done"), result: this.#toResult(run, outgoing.reply), keep };
  }

  /** The job runs again at once, in this process or in another, and the attempt does not count. */
  release(run: JobRun): Outcome {
    return { ...this.#outcome(run, "queued"), refund: true };
  }

  /** A handler that ignores its signal is abandoned: what it returns is not used. */
  async #runInTime(run: JobRun, { definition, path }: JobHandler): Promise<JobOutgoing> {
    const { row, controller } = run;
    const late = Promise.withResolvers<JobOutgoing>();
    let grace: NodeJS.Timeout | undefined;
    const leave = () => {
      const { reason } = controller.signal;
      grace = setTimeout(() => {
        this.#log.warn({ job: row.id }, `${row.name}: the handler ignores ctx.signal and is abandoned`);
        late.resolve(new JobOutgoing(undefined, reason));
      }, abortGrace);
    };
    const isAborted = controller.signal.aborted; // while the input was checked
    if (isAborted) leave();
    else controller.signal.addEventListener("abort", leave, { once: true });
    const message = `the job did not end within ${describeDuration(definition.timeout)}`;
    const timer = setTimeout(
      () => controller.abort(new DOMException(message, "TimeoutError")),
      Math.min(definition.timeout, longestTimer),
    );
    this.#links.running.set(controller.signal, {
      id: row.id,
      name: row.name,
      queue: row.queue,
      attempt: row.attempt,
      attempts: row.max_attempts,
      createdAt: new Date(row.created_at),
    });
    try {
      const handled = Promise.resolve(this.#open().kernel.handle(new JobIncoming(`/${path}`, run)));
      const outgoing = await Promise.race([handled, late.promise]);
      // a hook of the application that fails makes an Outgoing of the kernel's own
      return outgoing instanceof JobOutgoing ? outgoing : new JobOutgoing(undefined, new Error("a hook has failed"));
    } finally {
      clearTimeout(timer);
      clearTimeout(grace);
      controller.signal.removeEventListener("abort", leave);
    }
  }

  #fail(run: JobRun, definition: JobDefinition, error: unknown): Outcome {
    const { row } = run;
    run.error = error ?? new Error(String(error)); // also of `throw undefined`
    const text = toErrorText(error);
    if (error instanceof UnrecoverableError || row.attempt >= row.max_attempts) {
      return this.#die(run, definition, text, error);
    }
    const delay = this.#pauseAfter(definition, row.attempt);
    const attempt = `attempt ${row.attempt} of ${row.max_attempts} failed, the next is in ${describeDuration(delay)}`;
    this.#log.warn({ job: row.id, err: error }, `${row.name}: ${attempt}`);
    return { ...this.#outcome(run, delay === 0 ? "queued" : "scheduled"), error: text, delay };
  }

  #pauseAfter({ name, pauseAfter }: JobDefinition, attempt: number): number {
    try {
      return pauseAfter(attempt);
    } catch (error) {
      this.#log.error({ err: error }, `${name}: the back-off of the job has failed`);
      return brokenPause;
    }
  }

  #die(run: JobRun, definition: JobDefinition, text: string, error?: unknown): Outcome {
    const { row } = run;
    run.error ??= new Error(text);
    this.#log.error(
      { job: row.id, ...(error === undefined ? {} : { err: error }) },
      `${row.name}: dead after attempt ${row.attempt} of ${row.max_attempts}: ${firstLine(text)}`,
    );
    return { ...this.#outcome(run, "dead"), error: text, keep: definition.keep.dead ?? this.#settings.keep.dead };
  }

  #outcome({ id, claim }: JobRun, state: Outcome["state"]): Outcome {
    return { id, claim, state, result: null, error: null, delay: 0, keep: this.#settings.keep.dead, refund: false };
  }

  #toResult({ row }: JobRun, { kind, value }: Reply): string | null {
    if (kind === "empty" || kind === "raw") return null;
    try {
      const text: string | undefined = JSON.stringify(value);
      if (text === undefined) return null;
      if (Buffer.byteLength(text) <= largestResult) return text;
      this.#log.warn({ job: row.id }, `${row.name}: the result is longer than ${largestResult} bytes and is not kept`);
    } catch (error) {
      this.#log.warn({ job: row.id, err: error }, `${row.name}: the result is not JSON and is not kept`);
    }
    return null;
  }

  #open() {
    if (this.#opened !== undefined) return this.#opened;
    const { kernel, routes } = this.#background.open(createJobPlatform(this.#settings.middlewares));
    const handlers = new Map<string, JobHandler>();
    const problems: Problem[] = [];
    for (const { contract, path, owner } of routes.list()) {
      const definition = definitionOf(contract);
      if (definition === undefined) continue;
      if (handlers.has(definition.name)) {
        const message = `Job "${definition.name}" has two handlers, one of them in ${owner}. Remove one of them.`;
        problems.push({ code: "DUPLICATE_ROUTE", message });
      }
      handlers.set(definition.name, { definition, path });
    }
    if (problems.length > 0) throw new StartError(problems);
    this.#opened = { kernel, handlers };
    return this.#opened;
  }
}

function describeIssues({ issues, message }: BindError): string {
  return issues.map((issue) => `${issue.path || "(whole input)"} ${issue.message}`).join("; ") || message;
}
