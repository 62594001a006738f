import type { ServerResponse } from "node:http";
import { discard, isStream } from "../body/stream.ts";
import type { HeaderValue } from "../headers.ts";
import type { Outgoing, OutgoingBody } from "../reply.ts";
import { STATUS_CODES } from "./builtin.ts";
import { Slices, sliceBytes } from "./pump.ts";
import type { Unread } from "./unread.ts";

export interface WriterOptions {
  readonly unread: Unread;
  /** Milliseconds that a kept connection may stay idle, sent to clients as `Keep-Alive`. */
  readonly keepAlive: number;
}

/** Writes the responses of an application: the only place where their heads are built. */
export class Writer {
  readonly #unread: Unread;
  readonly #keepAlive: string;
  /** The last lines of a head whose connection is kept, after its date. */
  readonly #lastLines: string;
  /** The date and the last lines; empty once the second of the date has passed. */
  #ending = "";
  /** By status, for the content type that was last sent with it: the head up to the length. */
  readonly #beginnings: { readonly type: string; readonly text: string }[] = [];

  constructor({ unread, keepAlive }: WriterOptions) {
    this.#unread = unread;
    this.#keepAlive = `timeout=${Math.floor(keepAlive / 1000)}`;
    this.#lastLines = `Connection: keep-alive\r\nKeep-Alive: ${this.#keepAlive}\r\n\r\n`;
  }

  /** Returns the iterator of a stream, for `pump`; any other body is written whole. */
  write(res: ServerResponse, outgoing: Outgoing, isHead: boolean, close: boolean): AsyncIterator<unknown> | undefined {
    const { body, status } = outgoing;
    if (res.destroyed) {
      discard(body);
      return undefined;
    }
    const { type } = outgoing;
    const keep = !close && res.shouldKeepAlive;
    if (
      keep &&
      typeof body === "string" &&
      !isHead &&
      !isBodiless(status) &&
      type !== "" &&
      outgoing.extraHeaders() === undefined
    ) {
      const length = Buffer.byteLength(body);
      this.#unread.check(length);
      if (length > sliceBytes) return this.#writeSlices(res, outgoing, Buffer.from(body), false);
      this.#send(res, status, this.#toPlainHead(status, type, length), body, length === body.length);
      return undefined;
    }
    const headers = toHeaderList(outgoing, isHead);
    if (body === null || isHead || isBodiless(status)) {
      discard(body);
      this.#writeHead(res, status, headers, close, keep);
      res.end();
      return undefined;
    }
    if (isStream(body)) {
      const iterator = body[Symbol.asyncIterator](); // first, because a stream in use throws, which is a 500
      this.#writeHead(res, status, headers, close, keep && res.req.httpVersion === "1.1");
      return iterator;
    }
    const size = typeof body === "string" ? Buffer.byteLength(body) : body.byteLength;
    this.#unread.check(size);
    if (size > sliceBytes) {
      return this.#writeSlices(res, outgoing, typeof body === "string" ? Buffer.from(body) : body, close);
    }
    if (keep)
      this.#send(res, status, this.#toHead(status, headers), body, typeof body === "string" && size === body.length);
    else {
      this.#writeHead(res, status, headers, close, false);
      res.end(typeof body === "string" ? Buffer.from(body) : body); // as text, it would change the encoding of the head
      this.#unread.watch(res);
    }
    return undefined;
  }

  /**
   * Replaces `writeHead`, which checks again what ResponseHeaders has checked and costs a tenth of a small response.
   * Only `_header` marks the head as ready for node:http. It is written as Latin-1: a body of plain ASCII goes
   * with it, in one piece and past node's buffer. `write.test.ts` sees what goes over the wire.
   */
  #send(res: ServerResponse, status: number, head: string, body: string | Uint8Array, together: boolean): void {
    res.statusCode = status;
    (res as unknown as { _header: string })._header = together ? head + body : head; // private to node:http, so not in its types
    if (together) res.end();
    else res.end(typeof body === "string" && !isAscii(head) ? Buffer.from(body) : body); // else the head would be written as UTF-8 too
    this.#unread.watch(res);
  }

  #writeSlices(res: ServerResponse, outgoing: Outgoing, body: Uint8Array, close: boolean): Slices {
    this.#writeHead(res, outgoing.status, toHeaderList(outgoing, false), close, !close && res.shouldKeepAlive);
    return new Slices(body);
  }

  #writeHead(res: ServerResponse, status: number, headers: HeaderValue[], close: boolean, keep: boolean): void {
    if (close) headers.push("connection", "close");
    else if (keep) headers.push("Keep-Alive", this.#keepAlive); // the server itself has no such timeout, see keepAliveTimeout
    res.writeHead(status, headers as (string | string[])[]); // node's type takes no read-only lists, though it never changes them
  }

  /** For a response with a type, a length and no other header: most of the text is the same each time. */
  #toPlainHead(status: number, type: string, length: number): string {
    let beginning = this.#beginnings[status];
    if (beginning?.type !== type) {
      beginning = { type, text: `${toStatusLine(status)}content-type: ${type}\r\ncontent-length: ` };
      this.#beginnings[status] = beginning;
    }
    return `${beginning.text}${length}\r\n${this.#end()}`;
  }

  #toHead(status: number, headers: readonly HeaderValue[]): string {
    let text = toStatusLine(status);
    let dated = false;
    for (let index = 0; index < headers.length; index += 2) {
      const name = headers[index] as string; // names and values alternate
      const value = headers[index + 1] as HeaderValue;
      dated ||= name === "date";
      if (typeof value === "string") text += `${name}: ${value}\r\n`;
      else for (const one of value) text += `${name}: ${one}\r\n`;
    }
    return text + (dated ? this.#lastLines : this.#end());
  }

  #end(): string {
    if (this.#ending === "") {
      const now = Date.now();
      this.#ending = `Date: ${new Date(now).toUTCString()}\r\n${this.#lastLines}`;
      setTimeout(
        () => {
          this.#ending = "";
        },
        1000 - (now % 1000),
      ).unref();
    }
    return this.#ending;
  }
}

function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length;
}

function toStatusLine(status: number): string {
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "unknown"}\r\n`;
}

/**
 * Framing and connection headers belong to the engine: an application could contradict them about where a response
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

/** The headers of a response, names and values alternating: the same on a socket and in `app.fetch`. */
export function toHeaderList(outgoing: Outgoing, isHead: boolean): HeaderValue[] {
  const list: HeaderValue[] = [];
  let declared: HeaderValue | undefined;
  const extra = outgoing.extraHeaders();
  if (extra !== undefined) {
    for (const [name, value] of extra) {
      if (name === "content-length") declared = value;
      else if (!engineHeaders.has(name)) list.push(name, value);
    }
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

/** The declared length of a stream; undefined when it is missing or malformed. */
export function toLength(declared: HeaderValue | undefined): number | undefined {
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
  if (body === null && !(isHead && length !== undefined)) return "0";
  return length === undefined ? undefined : String(length);
}
