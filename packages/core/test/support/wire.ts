import { connect, type Socket } from "node:net";
import { test } from "node:test";
import { type ApiOptions, api, type Routes } from "@tenon/core";
import { createTestApp, type TestHttpApp } from "@tenon/core/testing";
import { LogLines } from "./log-lines.ts";
import { moduleOf } from "./transports.ts";

export interface WireResponse {
  readonly status: number;
  readonly headers: Headers;
  /** Decoded from its chunks; cut short when the connection was. */
  readonly body: string;
  readonly complete: boolean;
}

const patience = 240_000;

/** A client that sends exactly the given bytes. */
export class RawClient {
  readonly socket: Socket;
  text = "";
  closed = false;
  reset = false;
  #changed = Promise.withResolvers<void>();

  /** With `stubborn` it keeps its side open when the server has closed its own. */
  constructor(port: number, { stubborn = false }: { readonly stubborn?: boolean } = {}) {
    this.socket = connect({ port, host: "127.0.0.1", allowHalfOpen: stubborn });
    this.socket.on("data", (chunk: Buffer) => {
      this.text += chunk.toString("latin1");
      this.#notify();
    });
    this.socket.on("error", () => {
      this.reset = true;
    });
    this.socket.on("close", () => {
      this.closed = true;
      this.#notify();
    });
  }

  send(bytes: string | Uint8Array): this {
    this.socket.write(bytes);
    return this;
  }

  /** Rejects when the condition does not hold in time, or the connection closes first. */
  async until(condition: (client: RawClient) => boolean, what: string): Promise<void> {
    const timeout = setTimeout(() => this.#notify(new Error(`no ${what} in ${patience} ms`)), patience);
    try {
      while (!condition(this)) {
        if (this.closed) throw new Error(`closed before ${what}; got ${JSON.stringify(this.text.slice(0, 300))}`);
        await this.#changed.promise;
      }
    } finally {
      clearTimeout(timeout);
    }
  }

  async responses(count: number, options: { readonly head?: boolean } = {}): Promise<WireResponse[]> {
    const complete = () => parseResponses(this.text, options).filter((response) => response.complete).length >= count;
    await this.until(complete, `${count} responses`);
    return parseResponses(this.text, options);
  }

  /** All responses until the server closes. */
  async untilClosed(options: { readonly head?: boolean } = {}): Promise<WireResponse[]> {
    await this.until((client) => client.closed, "end of the connection");
    return parseResponses(this.text, options);
  }

  #notify(error?: Error): void {
    const { resolve, reject } = this.#changed;
    this.#changed = Promise.withResolvers();
    if (error === undefined) resolve();
    else {
      this.#changed.promise.catch(() => {});
      reject(error);
    }
  }
}

export interface Wire {
  readonly port: number;
  readonly url: string;
  readonly app: TestHttpApp;
  readonly log: LogLines;
  /** Destroyed when the test is over. */
  connect(): RawClient;
  /** Sends on a new connection and waits until the server closes it. */
  untilClosed(bytes: string | Uint8Array, options?: { readonly head?: boolean }): Promise<WireResponse[]>;
  /** Sends on a new connection and returns the first response. */
  send(bytes: string | Uint8Array): Promise<WireResponse>;
  /**
   * Twenty requests of other clients, one after the other. What the server goes on to do by itself, it has done by then,
   * on a slow machine too: before a test says that something has not happened.
   */
  serveOthers(): Promise<void>;
}

/** A test with a real server on a port of its own. */
export function testOnWire(
  name: string,
  routes: Routes,
  body: (wire: Wire) => Promise<void>,
  options: ApiOptions = {},
): void {
  test(name, async () => {
    const log = new LogLines();
    const app = await createTestApp(moduleOf(routes), api(options), { log: log.options });
    const clients: RawClient[] = [];
    try {
      const { port, url } = await app.listen({ port: 0, signals: false });
      const open = () => {
        const client = new RawClient(port);
        clients.push(client);
        return client;
      };
      const send = async (bytes: string | Uint8Array) => {
        const [response] = await open().send(bytes).responses(1);
        return response as WireResponse; // there is one, responses() waited for it
      };
      await body({
        port,
        url,
        app,
        log,
        connect: open,
        untilClosed: (bytes, options) => open().send(bytes).untilClosed(options),
        send,
        serveOthers: async () => {
          for (let count = 0; count < 20; count++) await send("GET /others HTTP/1.1\r\nHost: localhost\r\n\r\n");
        },
      });
    } finally {
      for (const client of clients) client.socket.destroy();
      await app.stop();
    }
  });
}

/** Splits the output of a server into responses. With `head` no response has a body, despite its headers. */
export function parseResponses(text: string, { head = false }: { readonly head?: boolean } = {}): WireResponse[] {
  const responses: WireResponse[] = [];
  let rest = text;
  while (rest !== "") {
    const end = rest.indexOf("\r\n\r\n");
    const [statusLine = "", ...lines] = rest.slice(0, end < 0 ? undefined : end).split("\r\n");
    const status = Number(/^HTTP\/1\.1 ([0-9]{3}) /.exec(statusLine)?.[1]);
    if (Number.isNaN(status)) throw new Error(`not a response: ${JSON.stringify(rest.slice(0, 200))}`);
    const headers = new Headers();
    for (const line of lines) headers.append(line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1));
    if (end < 0) return [...responses, { status, headers, body: "", complete: false }];
    const after = rest.slice(end + 4);
    const bodiless = head || status < 200 || status === 204 || status === 304;
    const parsed = bodiless ? { body: "", rest: after, complete: true } : parseBody(after, headers);
    responses.push({ status, headers, body: parsed.body, complete: parsed.complete });
    rest = parsed.rest;
  }
  return responses;
}

function parseBody(text: string, headers: Headers): { body: string; rest: string; complete: boolean } {
  if (headers.get("transfer-encoding") === "chunked") return parseChunks(text);
  const length = headers.get("content-length");
  if (length === null) return { body: text, rest: "", complete: false }; // until the connection closes
  return {
    body: text.slice(0, Number(length)),
    rest: text.slice(Number(length)),
    complete: text.length >= Number(length),
  };
}

function parseChunks(text: string): { body: string; rest: string; complete: boolean } {
  let body = "";
  let rest = text;
  for (;;) {
    const line = rest.indexOf("\r\n");
    const size = Number.parseInt(rest, 16);
    if (line < 0 || rest.length < line + 2 + size + 2)
      return { body: body + rest.slice(line + 2), rest: "", complete: false };
    body += rest.slice(line + 2, line + 2 + size);
    rest = rest.slice(line + 2 + size + 2);
    if (size === 0) return { body, rest, complete: true };
  }
}
