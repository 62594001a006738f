import { inject } from "@tenon/core";
import { type DevCell, type DevPanel, type DevPanelSource, type DevSection, Redactor } from "@tenon/core/platform";
import type { JobRecord, JobState } from "../job-record.ts";
import { Jobs } from "../jobs.ts";
import { Schedules } from "../schedules.ts";

const mostJobs = 50;
const redactor = new Redactor();
const kinds: Readonly<Partial<Record<JobState, DevCell["kind"]>>> = { done: "good", dead: "bad", running: "warn" };

/** What the developer tools show of jobs and schedules. */
export class JobPanels implements DevPanelSource {
  readonly #jobs = inject(Jobs);
  readonly #schedules = inject(Schedules);

  devPanels(): readonly DevPanel[] {
    return [
      {
        id: "jobs",
        title: "Jobs",
        read: ({ id }) => (id === undefined ? this.#readAll() : this.#readOne(Number(id))),
        actions: {
          retry: async ({ id }) => ((await this.#jobs.retry(Number(id))) ? `Job ${id} starts again.` : refuse(id)),
          cancel: async ({ id }) => ((await this.#jobs.cancel(Number(id))) ? `Job ${id} is cancelled.` : refuse(id)),
          pause: async ({ queue = "" }) => {
            await this.#jobs.pause(queue);
            return `The queue ${queue} is paused: none of its jobs starts, in any process.`;
          },
          resume: async ({ queue = "" }) => {
            await this.#jobs.resume(queue);
            return `The queue ${queue} continues.`;
          },
        },
      },
    ];
  }

  async #readAll(): Promise<DevSection[]> {
    const jobs = await this.#jobs.list({ limit: mostJobs });
    const paused = new Set(await this.#jobs.pausedQueues());
    const counts = await this.#jobs.counts();
    return [
      {
        heading: "Queues",
        columns: ["Queue", "State", "Jobs", "Oldest", ""],
        rows: counts.map(({ queue, state, count, oldest }) => [
          queue,
          { text: state, ...toKind(state) },
          count,
          oldest,
          paused.has(queue)
            ? { text: "Resume", action: "resume", input: { queue } }
            : { text: "Pause", action: "pause", input: { queue } },
        ]),
      },
      {
        heading: "Schedules",
        columns: ["Name", "Job", "Pattern", "Time zone", "Next"],
        rows: this.#schedules.all.map(({ name, pattern, timezone, job, nextAfter }) => {
          const next = nextAfter(Date.now());
          return [
            name,
            job.name,
            { text: pattern, kind: "code" },
            timezone,
            next === undefined ? null : new Date(next).toISOString(),
          ];
        }),
      },
      {
        heading: "Jobs",
        note: `The newest ${mostJobs}.`,
        columns: ["Id", "Job", "Queue", "State", "Attempt", "Run at", "Error", "", ""],
        rows: jobs.map((job) => [
          { text: String(job.id), query: { id: String(job.id) } },
          job.name,
          job.queue,
          { text: job.state, ...toKind(job.state) },
          `${job.attempt}/${job.attempts}`,
          job.runAt,
          job.error?.split("\n", 1)[0] ?? "",
          ...toButtons(job),
        ]),
      },
    ];
  }

  async #readOne(id: number): Promise<DevSection[]> {
    const job = await this.#jobs.find(id);
    if (job === undefined)
      return [{ heading: `There is no job ${id}`, note: "Finished jobs are deleted after a while." }];
    const { input, result, error, name, state, progress, worker, key, ...times } = job;
    const rows = {
      state,
      queue: job.queue,
      attempt: `${job.attempt} of ${job.attempts}`,
      key,
      created: times.createdAt,
      "run at": times.runAt,
      started: times.startedAt,
      finished: times.finishedAt,
      worker,
      progress: progress === null ? null : `${progress.done} of ${progress.total} ${progress.label}`,
    };
    const [retry, cancel] = toButtons(job);
    return [
      {
        heading: `Job ${id}: ${name}`,
        columns: ["Field", "Value", ""],
        rows: Object.entries(rows)
          .filter(([, value]) => value !== null)
          .map(([label, value], index) => [label, value, index === 0 ? retry : index === 1 ? cancel : null]),
      },
      { heading: "Input", text: toText(input) },
      ...(state === "done" ? [{ heading: "Result", text: toText(result) }] : []),
      ...(error === null ? [] : [{ heading: "Error of the last attempt", text: error }]),
    ];
  }
}

/** The buttons that have an effect in this state. */
function toButtons({ id, state }: JobRecord): [DevCell | null, DevCell | null] {
  const input = { id: String(id) };
  const mayRetry = state === "dead" || state === "cancelled" || state === "scheduled";
  const mayCancel = state === "scheduled" || state === "queued" || state === "running";
  return [
    mayRetry ? { text: "Retry", action: "retry", input } : null,
    mayCancel ? { text: "Cancel", action: "cancel", input } : null,
  ];
}

function refuse(id: string | undefined): never {
  throw new Error(`Job ${id} has changed in the meantime.`);
}

function toKind(state: JobState): Pick<DevCell, "kind"> {
  const kind = kinds[state];
  return kind === undefined ? {} : { kind };
}

function toText(value: unknown): string {
  return JSON.stringify(redactor.redact({ value }).value, null, 2) ?? "";
}
