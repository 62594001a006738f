import { boolean, dto, endpoint, group, HttpError, inject, integer, routes, string } from "@tenon/core";
import { type JobRecord, jobStates } from "./job-record.ts";
import { Jobs } from "./jobs.ts";
import { Schedules } from "./schedules.ts";

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

  routes() {
    return routes([
      group("jobs", [
        { path: "list", handler: this.list },
        { path: "show/:id", handler: this.show },
        { path: "counts", handler: this.counts },
        { path: "schedules", handler: this.schedules },
        { path: "retry/:id", handler: this.retry },
        { path: "cancel/:id", handler: this.cancel },
        { path: "prune", handler: this.prune },
        { path: "pause/:queue", handler: this.pause },
        { path: "resume/:queue", handler: this.resume },
      ]),
    ]);
  }

  readonly list = endpoint({ summary: "List jobs, the newest first", query: ListQuery }, async (_, { query }) => {
    const { state, queue, name, limit, before } = query;
    const jobs = await this.#jobs.list({
      ...(state === undefined ? {} : { state }),
      ...(queue === undefined ? {} : { queue }),
      ...(name === undefined ? {} : { name }),
      ...(limit === undefined ? {} : { limit }),
      ...(before === undefined ? {} : { before }),
    });
    return jobs.map(summarize);
  });

  readonly show = endpoint(
    { summary: "Show one job with its input, result and error", params: IdParams },
    async (_, { params }) => {
      return (await this.#jobs.find(params.id)) ?? refuse(params.id);
    },
  );

  readonly counts = endpoint({ summary: "Count the jobs of each queue and state" }, async () => {
    const paused = new Set(await this.#jobs.pausedQueues());
    return (await this.#jobs.counts()).map((count) => ({ ...count, paused: paused.has(count.queue) }));
  });

  readonly schedules = endpoint({ summary: "List the schedules and their next ticks" }, () =>
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

  readonly retry = endpoint(
    { summary: "Start a dead, cancelled or waiting job now", params: IdParams },
    async (_, { params: { id } }) => {
      if (await this.#jobs.retry(id)) return { id, state: "queued" };
      return this.#explain(id, "Only dead, cancelled and scheduled jobs can be retried.");
    },
  );

  readonly cancel = endpoint(
    { summary: "Cancel a job that waits or runs", params: IdParams },
    async (_, { params: { id } }) => {
      if (await this.#jobs.cancel(id)) return { id, state: "cancelled" };
      return this.#explain(id, "Only jobs that wait or run can be cancelled.");
    },
  );

  readonly prune = endpoint(
    { summary: "Delete finished jobs whose time is over", query: PruneQuery },
    async (_, { query: { vacuum = false } }) => {
      const deleted = await this.#jobs.prune();
      if (vacuum) await this.#jobs.vacuum();
      return { deleted };
    },
  );

  readonly pause = endpoint(
    { summary: "Start no more jobs of a queue, in any process", params: QueueParams },
    async (_, { params: { queue } }) => {
      await this.#jobs.pause(queue);
      return { queue, paused: true };
    },
  );

  readonly resume = endpoint(
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
