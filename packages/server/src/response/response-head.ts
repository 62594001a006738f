import type { HeaderValue, Outgoing, OutgoingBody } from "../handler.ts";

// not by `import`, which reads every export of node:http, `WebSocket` included, and so loads all of Node's fetch
const { STATUS_CODES } = process.getBuiltinModule("node:http");

/** Writes the heads of responses as text. */
export class ResponseHeads {
  readonly #keepAlive: string;
  /** The line of the date; empty once its second has passed. */
  #date = "";

  /** By status, for the content type that was last sent with it: the head up to the length. */
  readonly #beginnings: { readonly type: HeaderValue; readonly text: string }[] = [];

  /** `keepAlive` is how long a kept connection may stay idle, in milliseconds. */
  constructor(keepAlive: number) {
    this.#keepAlive = `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAlive / 1000)}\r\n\r\n`;
  }

  /** The headers are names and values, alternating. */
  toText(status: number, headers: readonly HeaderValue[], close: boolean, chunked: boolean): string {
    const end = `${chunked ? "Transfer-Encoding: chunked\r\n" : ""}${close ? "connection: close\r\n\r\n" : this.#keepAlive}`;
    // most responses have a type, a length and no other header: the text is the same each time but for the length
    if (headers.length === 4 && headers[0] === "content-type") {
      return `${this.#beginningOf(status, headers[1] as HeaderValue)}${headers[3]}\r\n${this.#dateLine()}${end}`;
    }
    let text = toStatusLine(status);
    let dated = false;
    for (let index = 0; index < headers.length; index += 2) {
      const name = headers[index] as string; // names and values alternate
      const value = headers[index + 1] as HeaderValue;
      dated ||= name === "date";
      if (typeof value === "string") text += `${name}: ${value}\r\n`;
      else for (const one of value) text += `${name}: ${one}\r\n`;
    }
    return `${text}${dated ? "" : this.#dateLine()}${end}`;
  }

  #beginningOf(status: number, type: HeaderValue): string {
    let beginning = this.#beginnings[status];
    if (beginning?.type !== type) {
      beginning = { type, text: `${toStatusLine(status)}content-type: ${type}\r\ncontent-length: ` };
      this.#beginnings[status] = beginning;
    }
    return beginning.text;
  }

  #dateLine(): string {
    if (this.#date === "") {
      const now = Date.now();
      this.#date = `Date: ${new Date(now).toUTCString()}\r\n`;
      setTimeout(
        () => {
          this.#date = "";
        },
        1000 - (now % 1000),
      ).unref();
    }
    return this.#date;
  }
}

function toStatusLine(status: number): string {
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "unknown"}\r\n`;
}

/**
 * Framing and connection headers belong to the server: an application could contradict them about where a response
 * ends. `Outgoing.closes` says whether the connection should close.
 */
const engineHeaders = new Set([
  "connection",
  "content-type",
  "content-length",
  "keep-alive",
  "trailer",
  "transfer-encoding",
]);

const none: readonly never[] = [];

/** The headers of a response, names and values alternating: the same on a socket and in `app.fetch`. */
export function toHeaderList(outgoing: Outgoing, isHead: boolean): HeaderValue[] {
  const list: HeaderValue[] = [];
  let declared: HeaderValue | undefined;
  for (const [name, value] of outgoing.extraHeaders() ?? none) {
    if (name === "content-length") declared = value;
    else if (!engineHeaders.has(name)) list.push(name, value);
  }
  const { status, body, type } = outgoing;
  if (status === 204 || status === 304) return list;
  if (type !== "") list.push("content-type", type);
  const length = lengthOf(status, body, isHead, declared);
  if (length !== undefined) list.push("content-length", length);
  return list;
}

/** Whether a response of this status never has a body, whatever the application returned. */
export function isBodiless(status: number): boolean {
  return status === 204 || status === 205 || status === 304;
}

/** Undefined when it is missing or malformed. */
function toLength(declared: HeaderValue | undefined): number | undefined {
  return typeof declared === "string" && /^[0-9]{1,15}$/.test(declared) ? Number(declared) : undefined;
}

function lengthOf(
  status: number,
  body: OutgoingBody,
  isHead: boolean,
  declared: HeaderValue | undefined,
): string | undefined {
  if (status === 205) return "0";
  if (typeof body === "string") return String(Buffer.byteLength(body));
  if (body instanceof Uint8Array) return String(body.byteLength);
  const length = toLength(declared);
  if (body === null && !isHead) return "0"; // that of a GET may be another one
  return length === undefined ? undefined : String(length);
}
