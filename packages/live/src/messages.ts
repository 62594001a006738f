import { BindError, HttpError, type Issue, type Schema } from "@tenon/core";
import { compileSelect, InvalidResult, validate } from "@tenon/core/internal";
import type { LiveEvent } from "./channels/live-event.ts";
import { toShortWire, toWire, type Wire } from "./wire.ts";

/** Schemas by the name of a message. */
export interface Messages {
  readonly [name: string]: Schema;
}

/** Sent by the framework itself, or by `EventSource`. */
const reserved = ["reset", "close", "error", "open"];

/** What `sends` and `receives` take. */
export function messagesCheck(messages: unknown): string | undefined {
  for (const [name, schema] of Object.entries(Object(messages))) {
    const problem = findMessageProblem(name, schema);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function findMessageProblem(name: string, schema: unknown): string | undefined {
  if (!/^[A-Za-z][\w.:-]{0,63}$/.test(name))
    return `has the name ${JSON.stringify(name)}. Use letters, digits and . : _ - only.`;
  if (reserved.includes(name)) return `has the name "${name}", which is taken. Rename it.`;
  const isSchema = (typeof schema === "object" || typeof schema === "function") && schema !== null;
  if (isSchema && "~standard" in schema) return undefined;
  return `has "${name}", which is not a schema. Use dto({ … }) or another schema.`;
}

/** A message that does not match its schema is not sent. */
export class InvalidMessage extends TypeError {
  override readonly name = "InvalidMessage";
  readonly issues: readonly Issue[];

  constructor(message: string, issues: readonly Issue[] = []) {
    const details = issues.map(({ path, message: text }) => `\n  ${path === "" ? "(data)" : path}: ${text}`);
    super(`${message}${details.join("")}`);
    this.issues = issues;
  }
}

/** How a kind of connection writes its messages. */
export interface Syntax {
  /** What comes before the body. */
  head(id: string | undefined): string;
  body(name: string, json: string): string;
  /** A message without a body. */
  position(id: string): string;
}

/** Called for an event that does not match its schema. */
type OnInvalid = (event: LiveEvent, error: InvalidMessage) => void;

/** What a route sends: validated, and reduced to the declared fields. */
export class OutgoingMessages {
  readonly #encoders: ReadonlyMap<string, (data: unknown) => string>;
  readonly #syntax: Syntax;

  constructor(messages: Messages, syntax: Syntax) {
    this.#syntax = syntax;
    this.#encoders = new Map(Object.entries(messages).map(([name, schema]) => [name, compileEncode(name, schema)]));
  }

  has(name: string): boolean {
    return this.#encoders.has(name);
  }

  /** As it is sent. Throws InvalidMessage. */
  encode(name: string, data: unknown, id?: string): Wire {
    return toWire(this.#syntax.head(id) + this.#syntax.body(name, this.#toJson(name, data)));
  }

  #toJson(name: string, data: unknown): string {
    const encode = this.#encoders.get(name);
    if (encode !== undefined) return encode(data);
    const known = [...this.#encoders.keys()].join(", ");
    throw new InvalidMessage(`"${name}" is not declared. This route sends ${known}.`);
  }

  /** The same for an event of a topic: its body once for all connections of the route. Undefined when it is not sent. */
  encodeEvent(event: LiveEvent, id: string, onInvalid: OnInvalid): Wire | undefined {
    if (!this.has(event.name)) return undefined;
    const body = event.once(this, () => this.#encodeOnce(event, onInvalid));
    return body && { head: this.#syntax.head(id), body };
  }

  encodeReset(topic: string, id: string): Wire {
    return toWire(this.#syntax.head(id) + this.#syntax.body("reset", JSON.stringify({ topic })));
  }

  encodePosition(id: string): Wire {
    return toShortWire(this.#syntax.position(id));
  }

  #encodeOnce(event: LiveEvent, onInvalid: OnInvalid): Buffer | undefined {
    try {
      return Buffer.from(this.#syntax.body(event.name, this.#toJson(event.name, event.data)));
    } catch (error) {
      if (!(error instanceof InvalidMessage)) throw error;
      onInvalid(event, error);
      return undefined;
    }
  }
}

function compileEncode(name: string, schema: Schema): (data: unknown) => string {
  const select = compileSelect(schema, true);
  return (data) => {
    try {
      const selected = select(data);
      if (selected instanceof Promise) {
        selected.catch(() => {});
        throw new InvalidMessage(`the schema of "${name}" validates asynchronously, which messages cannot wait for.`);
      }
      return JSON.stringify(selected);
    } catch (error) {
      if (!(error instanceof InvalidResult)) throw error;
      throw new InvalidMessage(`"${name}" does not match its schema:`, error.issues);
    }
  };
}

export interface IncomingMessage {
  readonly name: string;
  readonly data: unknown;
}

/** What a route receives: `{ "event": "say", "data": … }`. */
export class IncomingMessages {
  readonly #schemas: ReadonlyMap<string, Schema>;

  constructor(messages: Messages) {
    this.#schemas = new Map(Object.entries(messages));
  }

  /** The name of a message, for its error; undefined when it has none. */
  static nameOf(frame: unknown): string | undefined {
    const isNamed = typeof frame === "object" && frame !== null && "event" in frame && typeof frame.event === "string";
    return isNamed ? String(frame.event).slice(0, 64) : undefined;
  }

  /** Throws HttpError or BindError. A promise only for schemas that return one. */
  read(frame: unknown): IncomingMessage | Promise<IncomingMessage> {
    const name = IncomingMessages.nameOf(frame);
    if (name === undefined) throw new HttpError(400, 'A message is { "event": name, "data": value }');
    const schema = this.#schemas.get(name);
    if (schema === undefined) throw new HttpError(404, "Unknown event");
    const value = (frame as { readonly data?: unknown }).data; // an object: it has a name
    const data = validate(schema, { value, fromText: false });
    return data instanceof Promise ? data.then((ready) => ({ name, data: ready })) : { name, data };
  }
}

/** What a client receives for a message that failed. */
export function toErrorText(event: string | undefined, error: HttpError): string {
  const issues = error instanceof BindError ? error.issues.map(({ keys: _, ...issue }) => issue) : undefined;
  return JSON.stringify({ event: "error", data: { event, status: error.status, error: error.message, issues } });
}

/** What a message is after it was validated. */
export type DataOf<S extends Schema> = NonNullable<S["~standard"]["types"]>["output"];
