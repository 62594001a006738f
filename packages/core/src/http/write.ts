import type { ServerResponse } from "node:http";
import type { HeaderValue } from "../context/response-headers.ts";
import type { Outgoing } from "../pipeline/outgoing.ts";
import { STATUS_CODES } from "./builtin.ts";
import { discard, isBodiless, isStream, toHeaderList } from "./reply-head.ts";
import type { Unread } from "./unread.ts";

export interface WriterOptions {
  readonly unread: Unread;
  /** Milliseconds that a kept connection may stay idle, as it is told to the client. */
  readonly keepAlive: number;
}

/** Writes what an application answered. */
export class Writer {
  readonly #unread: Unread;
  readonly #keepAlive: string;
  /** How the head of a reply ends whose connection is kept, behind its date. */
  readonly #lastLines: string;
  /** The date and the last lines; empty when the second it told is over. */
  #ending = "";
  /** By status, for the type that was last sent with it: the head up to its length. */
  readonly #beginnings: { readonly type: string; readonly text: string }[] = [];

  constructor({ unread, keepAlive }: WriterOptions) {
    this.#unread = unread;
    this.#keepAlive = `timeout=${Math.floor(keepAlive / 1000)}`;
    this.#lastLines = `Connection: keep-alive\r\nKeep-Alive: ${this.#keepAlive}\r\n\r\n`;
  }

  /** A stream is handed back opened, for the pump; everything else is done. */
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
      const iterator = body[Symbol.asyncIterator](); // first, because a stream in use refuses, and that is a 500
      this.#writeHead(res, status, headers, close, keep && res.req.httpVersion === "1.1");
      return iterator;
    }
    const size = typeof body === "string" ? Buffer.byteLength(body) : body.byteLength;
    this.#unread.check(size);
    if (keep)
      this.#send(res, status, this.#toHead(status, headers), body, typeof body === "string" && size === body.length);
    else {
      this.#writeHead(res, status, headers, close, false);
      res.end(typeof body === "string" ? Buffer.from(body) : body); // as text, it would lend the head its encoding
      this.#unread.watch(res);
    }
    return undefined;
  }

  /**
   * Takes the place of `writeHead`, which checks once more what ResponseHeaders has checked, and costs a tenth of a small
   * reply. Nothing but `_header` tells node that the head is ready. It is written as Latin-1: a body of plain ASCII goes
   * with it, in one piece and past node's buffer. `write.test.ts` sees what goes over the wire.
   */
  #send(res: ServerResponse, status: number, head: string, body: string | Uint8Array, together: boolean): void {
    res.statusCode = status;
    (res as unknown as { _header: string })._header = together ? head + body : head; // not in node's types, since it is meant for node itself
    if (together) res.end();
    else res.end(typeof body === "string" && !isAscii(head) ? Buffer.from(body) : body); // else the head would be UTF-8, too
    this.#unread.watch(res);
  }

  #writeHead(res: ServerResponse, status: number, headers: HeaderValue[], close: boolean, keep: boolean): void {
    if (close) headers.push("connection", "close");
    else if (keep) headers.push("Keep-Alive", this.#keepAlive); // the server has no such time: it does not watch over it
    res.writeHead(status, headers as (string | string[])[]); // node's type has no room for read-only lists, which it never changes
  }

  /** Of a reply that has a type and a length, and no other header: most of it is the same each time. */
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
