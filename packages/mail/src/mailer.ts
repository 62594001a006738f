import { inject, type Schema } from "@tenon/core";
import { type EnqueueOptions, type JobInput, Jobs } from "@tenon/jobs";
import type { MailDefinition } from "./mail-definition.ts";
import { Transport } from "./message.ts";

/** Sends mails by jobs: `inject(Mailer)`. */
export class Mailer {
  readonly #jobs = inject(Jobs);
  readonly #transport = inject(Transport);

  /** Whether mails reach their recipients: false for `file:` and `memory:`. */
  get delivers(): boolean {
    return this.#transport.delivers;
  }

  /** Enqueues the job that sends the mail: with `transaction`, if and only if it commits. Returns the id of the job. */
  async send<Input extends Schema, Data extends Schema>(
    definition: MailDefinition<Input, Data>,
    input: JobInput<Input>,
    options: EnqueueOptions = {},
  ): Promise<number> {
    const { id } = await this.#jobs.enqueue(definition, input, options);
    return id;
  }
}
