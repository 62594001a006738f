import assert from "node:assert/strict";

export interface Reply<T> {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed if the response is JSON; undefined if it is empty. */
  readonly body: T;
  readonly text: string;
}

export interface CallOptions {
  readonly json?: unknown;
  /** Sent unchanged, with the content type of JSON. */
  readonly body?: string;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Calls the service over its socket. */
export class Client {
  readonly url: string;

  constructor(url: string) {
    this.url = url;
  }

  async call<T = unknown>(method: string, path: string, options: CallOptions = {}): Promise<Reply<T>> {
    const body = options.json === undefined ? options.body : JSON.stringify(options.json);
    const response = await fetch(`${this.url}${path}`, {
      method,
      redirect: "manual",
      headers: {
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
        ...options.headers,
      },
      ...(body === undefined ? {} : { body }),
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type") === "application/json; charset=utf-8";
    return {
      status: response.status,
      headers: response.headers,
      body: (isJson && text !== "" ? JSON.parse(text) : undefined) as T, // the type that the test expects and asserts
      text,
    };
  }

  get<T = unknown>(path: string, options: CallOptions = {}): Promise<Reply<T>> {
    return this.call<T>("GET", path, options);
  }

  post<T = unknown>(path: string, json: unknown, options: CallOptions = {}): Promise<Reply<T>> {
    return this.call<T>("POST", path, { json, ...options });
  }
}

/** Status and body, both exactly. */
export function assertReply(reply: Reply<unknown>, status: number, body: unknown): void {
  assert.deepEqual({ status: reply.status, body: reply.body }, { status, body }, reply.text);
}

/** `{ error }` and nothing else. */
export function assertError(reply: Reply<unknown>, status: number, error: string): void {
  assertReply(reply, status, { error });
}
