import { Agent, type ClientRequest, type IncomingHttpHeaders, request } from "node:http";
import type { Socket } from "node:net";

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
  /** When the last response on a connection ended, by `performance.now()`. */
  readonly #idleSince = new WeakMap<Socket, number>();

  constructor(url: string, maxSockets = Number.POSITIVE_INFINITY) {
    this.#url = url;
    this.#agent = new Agent({ keepAlive: true, maxSockets });
  }

  /** Rejects when the connection fails, with Node's error, which says for how long a reused connection was idle. */
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
      let connection: Socket | undefined;
      let idle = 0;
      const outgoing = request(`${this.#url}${path}`, { method, agent: this.#agent, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject).on("end", () => {
          if (connection !== undefined) this.#idleSince.set(connection, performance.now());
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
      outgoing.once("socket", (socket) => {
        connection = socket;
        idle = performance.now() - (this.#idleSince.get(socket) ?? performance.now());
      });
      outgoing.on("error", (error) => reject(withIdleTime(error, outgoing, idle))).end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** A server may close an idle connection at any time after the one it announced: then the fault is the client's. */
function withIdleTime(error: Error, { reusedSocket }: ClientRequest, idle: number): Error {
  if (reusedSocket) error.message += ` on a connection that was idle for ${(idle / 1000).toFixed(1)} s`;
  return error;
}

/** The body of a response that is known to be JSON of this type. */
export function jsonOf<T>(reply: TimedReply): T {
  return JSON.parse(reply.text) as T; // the type that the tests of the service check
}
