import { randomUUID } from "node:crypto";
import { BindError, Clock, type Context, inject, Log, type OnStart, type Schema } from "@tenon/core";
import { describeStores, describeValue, readEnvironment, validate } from "@tenon/core/internal";
import { Background, type BackgroundWork } from "@tenon/core/platform";
import { type JobInput, UnrecoverableError } from "@tenon/jobs";
import { type Address, checkAddress, isLine } from "./address.ts";
import type { MailDefinition } from "./mail-definition.ts";
import { MailViews } from "./mail-views.ts";
import { type Message, Transport } from "./message.ts";
import { MailSettings } from "./settings.ts";

/** What a composer returns: the recipient, and the data of the views. */
export interface Composed<Data extends Schema = Schema> {
  /** `"ada@example.com"`, or an object with the name too. */
  readonly to: Address | string;
  readonly data: JobInput<Data>;
}

/** Renders and sends what composers return. As background work it is found by test helpers. */
export class MailDelivery implements OnStart, BackgroundWork {
  readonly #settings = inject(MailSettings);
  readonly #views = inject(MailViews);
  readonly #clock = inject(Clock);
  readonly #log = inject(Log);
  readonly #definitions = new Map<string, MailDefinition>();
  readonly transport = inject(Transport);

  constructor() {
    inject(Background).add(this);
  }

  /** Renders each preview: a view that cannot be rendered stops the start, instead of the mail that a user waits for. */
  async onStart(): Promise<void> {
    for (const { name } of this.definitions) await this.preview(name);
  }

  /** Where jobs run, not on the command line. An application without a mail URL starts in production: only accounts need one. */
  start(): void {
    const { delivers, place } = this.transport;
    const { production } = readEnvironment(undefined, undefined, []); // createApp() reports what is wrong with it
    if (delivers || !production || this.#definitions.size === 0) return;
    this.#log.warn(`mails are not sent in production (${place}): set the url of mailModule() to a mail server`);
  }

  async stop(): Promise<void> {}

  /** Called for every `mail()` of the application when it starts. */
  add(definition: MailDefinition): void {
    this.#views.check(definition.name);
    this.#definitions.set(definition.name, definition);
  }

  async deliver(definition: MailDefinition, composed: unknown, ctx: Context): Promise<void> {
    const { to, data } = toComposed(definition, composed);
    const message = await this.#render(definition, data);
    const job = ctx.get("job");
    // the same for each attempt, so that a mail which arrives twice is recognised
    const id = job === undefined ? randomUUID() : `${job.id}.${job.createdAt.getTime()}`;
    const domain = this.#settings.from.address.split("@")[1];
    const headers = {
      "Message-ID": `<${id}@${domain}>`,
      Date: new Date(this.#clock.now()).toUTCString().replace("GMT", "+0000"),
      "Auto-Submitted": "auto-generated", // RFC 3834: no out-of-office replies
    };
    await this.transport.send({ from: this.#settings.from, to, ...message, headers }, ctx.signal);
  }

  get definitions(): readonly MailDefinition[] {
    return [...this.#definitions.values()];
  }

  /** Rendered with the data of its preview. */
  async preview(name: string): Promise<Pick<Message, "subject" | "html" | "text">> {
    const definition = this.#definitions.get(name);
    if (definition === undefined) throw new Error(`The application has no mail "${name}".`);
    return this.#render(definition, definition.preview);
  }

  [describeStores]() {
    const { place, guarantee } = this.transport;
    return { mail: { place, guarantee } };
  }

  async #render(definition: MailDefinition, given: unknown): Promise<Pick<Message, "subject" | "html" | "text">> {
    const data = await validateData(definition, given);
    const subject = definition.subject(data);
    if (typeof subject !== "string" || subject === "" || subject.length > 500 || !isLine(subject)) {
      throw new UnrecoverableError(`${definition.name}: the subject is not one line of at most 500 characters`);
    }
    return { subject, ...this.#views.render(definition.name, data) };
  }
}

async function validateData({ name, data }: MailDefinition, value: unknown): Promise<unknown> {
  try {
    return await validate(data, { value, fromText: false });
  } catch (error) {
    if (!(error instanceof BindError)) throw error;
    const issues = error.issues.map(({ path, message }) => `${path || "(whole data)"} ${message}`).join("; ");
    throw new UnrecoverableError(`${name}: the data of its views is invalid: ${issues}`);
  }
}

function toComposed({ name }: MailDefinition, value: unknown): Composed & { readonly to: Address } {
  if (typeof value !== "object" || value === null || !("to" in value) || !("data" in value)) {
    const cure = "Return { to, data }, or undefined when there is nothing to send";
    throw new UnrecoverableError(`${name}: the composer returned ${describeValue(value)}. ${cure}.`);
  }
  const { to, data } = value as Composed; // checked above and below
  try {
    return { to: checkAddress(typeof to === "string" ? { address: to } : to), data };
  } catch (error) {
    throw new UnrecoverableError(`${name}: ${(error as Error).message}`); // a TypeError that quotes nothing
  }
}
