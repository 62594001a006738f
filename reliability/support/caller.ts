import { Agent, type IncomingHttpHeaders, request } from "node:http";

export interface TimedReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** Milliseconds until the whole response was received. */
  readonly time: number;
}

export interface TimedCall {
  readonly json?: unknown;
  /** Sent unchanged, with the content type of JSON. */
  readonly body?: string | Uint8Array;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds until the call is aborted. */
  readonly timeout?: number;
}

/** Calls a service over keep-alive connections. Cheaper than fetch, which leaves more of the machine to the service. */
export class Caller {
  readonly #url: string;
  readonly #agent: Agent;

  constructor(url: string, maxSockets = Number.POSITIVE_INFINITY) {
    this.#url = url;
    this.#agent = new Agent({ keepAlive: true, maxSockets });
  }

  /** Rejects with Node's error when the connection fails. */
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
        outgoing.setTimeout(options.timeout, () => outgoing.destroy(new Error(`no response in ${options.timeout} ms`)));
      }
      outgoing.on("error", reject).end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** The body of a response that is known to be JSON of this type. */
export function jsonOf<T>(reply: TimedReply): T {
  return JSON.parse(reply.text) as T; // the type that the tests of the service check
}
