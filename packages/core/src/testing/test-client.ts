import type { Method } from "../request/handler.ts";
import { CookieJar } from "./cookie-jar.ts";

export interface TestRequestOptions {
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent as a browser sends a form without files; a list repeats a field. */
  readonly form?: Readonly<Record<string, string | readonly string[]>> | URLSearchParams;
  /** Sent as it is. */
  readonly body?: string | Uint8Array<ArrayBuffer> | ReadableStream | FormData;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

type Request = (method: Method, path: string, options?: TestRequestOptions) => Promise<Response>;

export interface TestClientOptions {
  /** Sent with every request, such as `{ authorization: "Bearer …" }`. The headers of a request win. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A client of a test application that keeps its cookies from one request to the next. */
export class TestClient {
  readonly #send: Request;
  readonly #headers: Headers;
  readonly #jar: CookieJar;

  constructor(send: Request, now: () => number, { headers }: TestClientOptions = {}) {
    this.#send = send;
    this.#headers = new Headers(headers);
    this.#jar = new CookieJar(now);
  }

  /** Calls the application without a port, with the headers and the cookies of this client. */
  async request(method: Method, path: string, options: TestRequestOptions = {}): Promise<Response> {
    const cookie = this.#jar.header();
    const headers = new Headers(this.#headers);
    if (cookie !== "") headers.set("cookie", cookie);
    for (const [name, value] of Object.entries(options.headers ?? {})) headers.set(name, value);
    const response = await this.#send(method, path, { ...options, headers: Object.fromEntries(headers) });
    for (const line of response.headers.getSetCookie()) this.#jar.take(line);
    return response;
  }

  /** Keeps a cookie as if a response had set it. */
  setCookie(name: string, value: string): void {
    this.#jar.take(`${name}=${encodeURIComponent(value)}`);
  }
}
