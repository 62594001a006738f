import { dto, type Schema } from "@tenon/core";
import { checkOptions, refuseOption } from "@tenon/core/internal";
import { defineJob, type JobDefinition, type JobInput, type JobOptions, type JobValue } from "@tenon/jobs";

export interface MailOptions<Input extends Schema, Data extends Schema>
  extends Pick<JobOptions<Input>, "input" | "summary" | "attempts" | "backoff" | "priority"> {
  /** What both views get as `data`: a `dto()` or any Standard Schema. */
  readonly data: Data;
  /** One line; a function when it depends on the data. */
  readonly subject: string | ((data: JobValue<Data>) => string);
  /** Data for the preview in the developer tools. */
  readonly preview: NoInfer<JobInput<Data>>;
}

/** A mail and the job that sends it: `defineMail()`. */
export interface MailDefinition<Input extends Schema = Schema, Data extends Schema = Schema>
  extends JobDefinition<Input> {
  readonly data: Data;
  readonly subject: (data: JobValue<Data>) => string;
  readonly preview: JobInput<Data>;
}

const nothing = dto({});
const mailName = /^mail\/./;

/** Servers that greylist accept a mail after some minutes; one that is down may be down for hours. */
const backoff = { first: "30s", factor: 4, longest: "4h" } as const;

/**
 * Declares a mail. Its name is the name of a job, and of two views: "mail/welcome" is rendered by `mail/welcome.eta`
 * (HTML) and `mail/welcome.text.eta` in the folder of views.
 */
export function defineMail<Data extends Schema, Input extends Schema = typeof nothing>(
  name: string,
  options: MailOptions<Input, Data>,
): MailDefinition<Input, Data> {
  const owner = `defineMail("${name}")`;
  if (typeof name !== "string" || !mailName.test(name)) {
    refuseOption(`${owner}: the name begins with "mail/", as do its views: "mail/welcome".`);
  }
  checkOptions(owner, options, {
    input: true,
    summary: true,
    attempts: true, // defineJob() checks the options of jobs
    backoff: true,
    priority: true,
    data: true,
    subject: true,
    preview: true,
  });
  const { data, subject, preview, ...rest } = options;
  const job = defineJob<Input>(name, { attempts: 8, backoff, ...rest, queue: "mail", timeout: "2m" });
  return Object.freeze({ ...job, data, preview, subject: typeof subject === "function" ? subject : () => subject });
}
