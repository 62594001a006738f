import { request } from "node:http";
import type { History, Outcome, Values } from "../history.ts";

export interface Call {
  readonly method: string;
  readonly path: string;
  readonly json?: unknown;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer {
  /** 0 when there was none. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The body, if it is a JSON object. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** Milliseconds that a whole call may take. */
const deadline = 10_000;
const none: Answer = { status: 0, headers: {}, body: {} };

/** A connection for each call: one that a fault has cut harms no other call. */
export function call(url: string, { method, path, json, token, headers = {} }: Call): Promise<Answer> {
  const body = json === undefined ? undefined : JSON.stringify(json);
  const all = {
    ...(body === undefined
      ? {}
      : { "content-type": "application/json", "content-length": String(Buffer.byteLength(body)) }),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...headers,
  };
  return new Promise((resolve) => {
    const signal = AbortSignal.timeout(deadline);
    const outgoing = request(`${url}${path}`, { method, agent: false, headers: all, signal }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("error", () => resolve(none));
      response.on("end", () => {
        // without its end, a response may be that of another outcome
        if (!response.complete) return resolve(none);
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: toObject(text) });
      });
      response.on("close", () => resolve(none));
    });
    outgoing.on("error", () => resolve(none)).end(body);
  });
}

function toObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {}; // checked
  } catch {
    return {};
  }
}

export function textOf(answer: Answer, name: string): string {
  return String(answer.body[name] ?? "");
}

/** A response of 4xx has changed nothing. Anything else but success may have. */
export function toOutcome({ status }: Answer): Outcome {
  if (status >= 200 && status < 300) return "ok";
  return status >= 400 && status < 500 ? "failed" : "unknown";
}

/** One client: writes what it asks, and how that ended, to the history. */
export class Client {
  readonly name: string;
  readonly #history: History;

  constructor(name: string, history: History) {
    this.name = name;
    this.#history = history;
  }

  /** `valuesOf` adds what the answer says to the values of the line. */
  async run(
    op: string,
    values: Values,
    url: string,
    asked: Call,
    { outcomeOf = toOutcome, valuesOf = () => ({}) }: RunOptions = {},
  ): Promise<Answer> {
    const invoked = Date.now();
    const answer = await call(url, asked);
    const outcome = outcomeOf(answer);
    const learned = outcome === "ok" ? valuesOf(answer) : {};
    const line = { op, client: this.name, invoked, ended: Date.now(), outcome, values: { ...values, ...learned } };
    this.#history.write(line);
    return answer;
  }
}

export interface RunOptions {
  readonly outcomeOf?: (answer: Answer) => Outcome;
  readonly valuesOf?: (answer: Answer) => Values;
}
