import {
  boolean,
  type Context,
  dto,
  endpoint,
  inject,
  type Middleware,
  type Next,
  type Route,
  type Schema,
} from "@tenon/core";
import { definitionOf, type JobDefinition, type JobValue, toJobContract } from "./job-definition.ts";
import { JobLinks } from "./job-links.ts";
import { Jobs } from "./jobs.ts";

const Flags = dto({ enqueue: boolean().describe("Queues the job instead of running it now") });

/**
 * A route without a method that runs a job: in a worker when it was enqueued, at a terminal as a command. A job has one
 * handler in an application.
 */
export function job<Input extends Schema>(
  definition: JobDefinition<Input>,
  handler: (ctx: Context, input: JobValue<Input>) => unknown,
  options: Pick<Route, "middlewares"> = {},
): Route {
  if (typeof handler !== "function") {
    throw new TypeError(`job("${definition.name}") takes a handler: job(${definition.name}, this.run)`);
  }
  function runJob(this: unknown, ctx: Context, input: object): unknown {
    return handler.call(this, ctx, (input as { body: JobValue<Input> }).body); // bound by the contract below
  }
  Object.defineProperty(runJob, "name", { value: handler.name });
  return {
    path: definition.name,
    handler: endpoint(toJobContract(definition, Flags), runJob),
    middlewares: [JobEntry, ...(options.middlewares ?? [])],
  };
}

/** Gives a handler its job. At a terminal, `--enqueue` adds the job instead. */
export class JobEntry implements Middleware {
  readonly #jobs = inject(Jobs);
  readonly #links = inject(JobLinks);

  handle(ctx: Context, next: Next): unknown {
    const running = this.#links.running.get(ctx.signal);
    if (running !== undefined) {
      ctx.set("job", running);
      return next();
    }
    const definition = definitionOf(ctx.route?.contract);
    return definition === undefined || ctx.query("enqueue") !== "true" ? next() : this.#enqueue(ctx, definition);
  }

  async #enqueue(ctx: Context, definition: JobDefinition): Promise<unknown> {
    const input = await ctx.bind(definition.input);
    return this.#jobs.enqueue(definition, input);
  }
}
