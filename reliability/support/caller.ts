import { Agent, type IncomingHttpHeaders, request } from "node:http";

export interface TimedReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** Milliseconds until the whole reply was there. */
  readonly time: number;
}

export interface TimedCall {
  readonly json?: unknown;
  /** Sent as it is, as JSON. */
  readonly body?: string | Uint8Array;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds after which it is given up. */
  readonly timeout?: number;
}

/** Calls a service on kept connections: cheaper than fetch, so that more of the machine is left to the service. */
export class Caller {
  readonly #url: string;
  readonly #agent: Agent;

  constructor(url: string, maxSockets = Number.POSITIVE_INFINITY) {
    this.#url = url;
    this.#agent = new Agent({ keepAlive: true, maxSockets });
  }

  /** Rejects when the connection fails, with what node says. */
  call(method: string, path: string, options: TimedCall = {}): Promise<TimedReply> {
    const start = performance.now();
    const body = options.json === undefined ? options.body : JSON.stringify(options.json);
    const headers = {
      ...(body === undefined
        ? {}
        : { "content-type": "application/json", "content-length": String(Buffer.byteLength(body)) }),
      ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
      ...options.headers,
    };
    return new Promise((resolve, reject) => {
      const outgoing = request(`${this.#url}${path}`, { method, agent: this.#agent, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject).on("end", () => {
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(chunks).toString(),
            time: performance.now() - start,
          });
        });
      });
      if (options.timeout !== undefined) {
        outgoing.setTimeout(options.timeout, () => outgoing.destroy(new Error(`no answer in ${options.timeout} ms`)));
      }
      outgoing.on("error", reject).end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** The body of a reply that is known to be JSON of this form. */
export function jsonOf<T>(reply: TimedReply): T {
  return JSON.parse(reply.text) as T; // the service's own form, which its tests hold it to
}
