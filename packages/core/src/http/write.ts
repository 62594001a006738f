import type { ServerResponse } from "node:http";
import type { HeaderValue } from "../context/response-headers.ts";
import type { Outgoing } from "../pipeline/outgoing.ts";
import { STATUS_CODES } from "./builtin.ts";
import { discard, isBodiless, isStream, toHeaderList } from "./reply-head.ts";

export interface WriterOptions {
  /** Milliseconds a client may leave what was written unread. */
  readonly stallTimeout: number;
  /** Milliseconds that a kept connection may stay idle, as it is told to the client. */
  readonly keepAlive: number;
}

/** Writes what an application answered. */
export class Writer {
  readonly #stallTimeout: number;
  readonly #keepAlive: string;
  /** How the head of a reply ends whose connection is kept. */
  readonly #lastLines: string;
  /** Empty when the second it told is over. */
  #date = "";

  constructor({ stallTimeout, keepAlive }: WriterOptions) {
    this.#stallTimeout = stallTimeout;
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
    const headers = toHeaderList(outgoing, isHead);
    const keep = !close && res.shouldKeepAlive && !headers.includes("connection");
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
    if (keep) presetHead(res, status, this.#toHead(status, headers));
    else this.#writeHead(res, status, headers, close, false);
    res.end(body);
    if (res.writableLength > 0) this.#watchStall(res);
    return undefined;
  }

  #writeHead(res: ServerResponse, status: number, headers: HeaderValue[], close: boolean, keep: boolean): void {
    if (close) headers.push("connection", "close");
    else if (keep) headers.push("Keep-Alive", this.#keepAlive); // the server has no such time: it does not watch over it
    res.writeHead(status, headers as (string | string[])[]); // node's type has no room for read-only lists, which it never changes
  }

  #watchStall(res: ServerResponse): void {
    const { socket } = res.req;
    socket.setTimeout(this.#stallTimeout);
    res.once("finish", () => socket.setTimeout(socket.readableEnded ? this.#stallTimeout : 0)); // a half-closed one keeps its deadline
  }

  #toHead(status: number, headers: readonly HeaderValue[]): string {
    let text = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "unknown"}\r\n`;
    let dated = false;
    for (let index = 0; index < headers.length; index += 2) {
      const name = headers[index] as string; // names and values alternate
      const value = headers[index + 1] as HeaderValue;
      dated ||= name === "date";
      if (typeof value === "string") text += `${name}: ${value}\r\n`;
      else for (const one of value) text += `${name}: ${one}\r\n`;
    }
    return dated ? text + this.#lastLines : `${text}Date: ${this.#today()}\r\n${this.#lastLines}`;
  }

  #today(): string {
    if (this.#date === "") {
      const now = Date.now();
      this.#date = new Date(now).toUTCString();
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

/**
 * Takes the place of `writeHead`, which checks once more what ResponseHeaders has checked, and costs a tenth of a small
 * reply. Nothing but this field tells node that the head is ready; `write.test.ts` sees what goes over the wire.
 */
function presetHead(res: ServerResponse, status: number, head: string): void {
  res.statusCode = status;
  (res as unknown as { _header: string })._header = head; // not in node's types, since it is meant for node itself
}
