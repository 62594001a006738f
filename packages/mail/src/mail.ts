import { type Class, type Context, inject, type Middleware, type Next, type Route, type Schema } from "@tenon/core";
import { type JobValue, job } from "@tenon/jobs";
import type { MailDefinition } from "./mail-definition.ts";
import { type Composed, MailDelivery } from "./mail-delivery.ts";

/**
 * A route without a method: a job that calls the composer, renders the views with the data that it returns, and sends
 * the mail. When the composer returns undefined, there is nothing to send.
 */
export function mail<Input extends Schema, Data extends Schema>(
  definition: MailDefinition<Input, Data>,
  compose: (ctx: Context, input: JobValue<Input>) => Composed<Data> | undefined | Promise<Composed<Data> | undefined>,
  options: Pick<Route, "middlewares"> = {},
): Route {
  const entry = createEntry(definition as unknown as MailDefinition); // its subject gets what its schema has validated
  return job(definition, compose, { middlewares: [entry, ...(options.middlewares ?? [])] });
}

/** A class for each mail: it is constructed when the application starts, which makes the mail known. */
function createEntry(definition: MailDefinition): Class<Middleware> {
  return class MailEntry implements Middleware {
    readonly #delivery = inject(MailDelivery);

    constructor() {
      this.#delivery.add(definition);
    }

    /** The result of a job is stored, and what a composer returns may contain a token. For undefined it would be used. */
    async handle(ctx: Context, next: Next): Promise<null> {
      const composed = await next();
      if (composed !== undefined) await this.#delivery.deliver(definition, composed, ctx);
      return null;
    }
  };
}
