import { type HeaderValue, ResponseHeaders } from "../context/response-headers.ts";
import { checkStatus } from "./reply.ts";

/** Streams are read by whoever writes them, chunk by chunk. */
export type OutgoingBody = string | Uint8Array | AsyncIterable<unknown> | null;

/** A response that only needs writing. */
export class Outgoing {
  body: OutgoingBody;
  #status: number;
  #type: string;
  #headers: ResponseHeaders | undefined;

  constructor(status: number, body: OutgoingBody, type: string, headers?: ResponseHeaders) {
    this.#status = status;
    this.body = body;
    this.#type = type;
    this.#headers = headers;
  }

  get status(): number {
    return this.#status;
  }

  set status(status: number) {
    this.#status = checkStatus(status); // behind the hooks there is nobody left to answer for a bad one
  }

  /** "" when there is none. A content type that the handler set wins over the platform's. */
  get type(): string {
    return this.#headers?.header("content-type") || this.#type;
  }

  /** Every header, content type included, to read and to change. */
  get headers(): ResponseHeaders {
    this.#headers ??= new ResponseHeaders();
    if (this.#type !== "") {
      if (!this.#headers.has("content-type")) this.#headers.setHeader("content-type", this.#type);
      this.#type = "";
    }
    return this.#headers;
  }

  /** Whether the application asks for the connection to end with this reply. */
  get closes(): boolean {
    return this.#headers?.header("connection") === "close";
  }

  /** For the writer: the headers other than the type, without making any. */
  extraHeaders(): Iterable<[string, HeaderValue]> | undefined {
    return this.#headers?.entries();
  }
}
