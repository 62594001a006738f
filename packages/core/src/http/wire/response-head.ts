import { STATUS_CODES } from "../builtin.ts";
import type { HeaderValue } from "../write.ts";

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
