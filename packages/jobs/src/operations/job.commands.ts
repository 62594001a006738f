import { boolean, dto, HttpError, inject, integer, route, string } from "@tenon/core";
import { type JobRecord, jobStates } from "../job-record.ts";
import { Jobs } from "../jobs.ts";
import { Schedules } from "../schedules.ts";

const ListQuery = dto({
  state: string("oneof=scheduled queued running done dead cancelled").describe(`One of ${jobStates.join(", ")}`),
  queue: string().describe("Only jobs of this queue"),
  name: string().describe('Only jobs of this name, for example "mails/welcome"'),
  limit: integer("min=1", "max=10000").describe("How many, the newest first; 50 without it"),
  before: integer("min=1").describe("Only jobs with a smaller id, for the next page"),
});
const IdParams = dto({ id: integer("required", "min=1") });
const QueueParams = dto({ queue: string("required") });
const PruneQuery = dto({
  vacuum: boolean().describe("Also gives the space back to the file system; locks an SQLite file"),
});

/** `jobs list`, `show`, `counts`, `schedules`, `retry`, `cancel`, `prune`, `pause` and `resume` on the CLI platform. Declare it to add them. */
export class JobCommands {
  readonly #jobs = inject(Jobs);
  readonly #schedules = inject(Schedules);

  readonly list = route.command(
    "jobs/list",
    { summary: "List jobs, the newest first", query: ListQuery },
    async (_, { query }) => {
      const { state, queue, name, limit, before } = query;
      const jobs = await this.#jobs.list({
        ...(state === undefined ? {} : { state }),
        ...(queue === undefined ? {} : { queue }),
        ...(name === undefined ? {} : { name }),
        ...(limit === undefined ? {} : { limit }),
        ...(before === undefined ? {} : { before }),
      });
      return jobs.map(summarize);
    },
  );

  readonly show = route.command(
    "jobs/show/:id",
    { summary: "Show one job with its input, result and error", params: IdParams },
    async (_, { params }) => {
      return (await this.#jobs.find(params.id)) ?? refuse(params.id);
    },
  );

  readonly counts = route.command("jobs/counts", { summary: "Count the jobs of each queue and state" }, async () => {
    const paused = new Set(await this.#jobs.pausedQueues());
    return (await this.#jobs.counts()).map((count) => ({ ...count, paused: paused.has(count.queue) }));
  });

  readonly schedules = route.command("jobs/schedules", { summary: "List the schedules and their next ticks" }, () =>
    this.#schedules.all.map(({ name, pattern, timezone, missed, job, nextAfter }) => {
      const next = nextAfter(Date.now());
      return {
        name,
        job: job.name,
        pattern,
        timezone,
        missed,
        next: next === undefined ? null : new Date(next).toISOString(),
      };
    }),
  );

  readonly retry = route.command(
    "jobs/retry/:id",
    { summary: "Start a dead, cancelled or waiting job now", params: IdParams },
    async (_, { params: { id } }) => {
      if (await this.#jobs.retry(id)) return { id, state: "queued" };
      return this.#explain(id, "Only dead, cancelled and scheduled jobs can be retried.");
    },
  );

  readonly cancel = route.command(
    "jobs/cancel/:id",
    { summary: "Cancel a job that waits or runs", params: IdParams },
    async (_, { params: { id } }) => {
      if (await this.#jobs.cancel(id)) return { id, state: "cancelled" };
      return this.#explain(id, "Only jobs that wait or run can be cancelled.");
    },
  );

  readonly prune = route.command(
    "jobs/prune",
    { summary: "Delete finished jobs whose time is over", query: PruneQuery },
    async (_, { query: { vacuum = false } }) => {
      const deleted = await this.#jobs.prune();
      if (vacuum) await this.#jobs.vacuum();
      return { deleted };
    },
  );

  readonly pause = route.command(
    "jobs/pause/:queue",
    { summary: "Start no more jobs of a queue, in any process", params: QueueParams },
    async (_, { params: { queue } }) => {
      await this.#jobs.pause(queue);
      return { queue, paused: true };
    },
  );

  readonly resume = route.command(
    "jobs/resume/:queue",
    { summary: "Start the jobs of a paused queue again", params: QueueParams },
    async (_, { params: { queue } }) => {
      await this.#jobs.resume(queue);
      return { queue, paused: false };
    },
  );

  async #explain(id: number, rule: string): Promise<never> {
    const found = await this.#jobs.find(id);
    return found === undefined ? refuse(id) : fail(409, `job ${id} is ${found.state}. ${rule}`);
  }

  routes() {
    return [
      this.list,
      this.show,
      this.counts,
      this.schedules,
      this.retry,
      this.cancel,
      this.prune,
      this.pause,
      this.resume,
    ];
  }
}

function refuse(id: number): never {
  return fail(404, `there is no job ${id}. jobs list shows the newest ones; finished jobs are deleted after a while.`);
}

function fail(status: number, message: string): never {
  throw new HttpError(status, message);
}

/** A row of a table: an error as its first line. */
function summarize({ id, name, queue, state, attempt, attempts, runAt, error }: JobRecord) {
  return { id, name, queue, state, attempt: `${attempt}/${attempts}`, runAt, error: error?.split("\n", 1)[0] ?? "" };
}
