import { tokenCharacter } from "../request/grammar.ts";
import type { RejectedRequest, RequestHead } from "../request/inspect.ts";
import type { ServerLimits } from "../request/limits.ts";

/** The methods of IANA's registry that HTTP parsers commonly know: any other request line is malformed. */
const methods = new Set(
  (
    "GET HEAD POST PUT PATCH DELETE OPTIONS CONNECT TRACE ACL BIND CHECKOUT COPY LINK LOCK M-SEARCH MERGE MKACTIVITY " +
    "MKCALENDAR MKCOL MOVE NOTIFY PROPFIND PROPPATCH PURGE QUERY REBIND REPORT SEARCH SOURCE SUBSCRIBE UNBIND UNLINK " +
    "UNLOCK UNSUBSCRIBE"
  ).split(" "),
);

const isTokenCode = Uint8Array.from({ length: 256 }, (_, code) =>
  new RegExp(`^${tokenCharacter}$`).test(String.fromCharCode(code)) ? 1 : 0,
);
/** In a `Connection` header. Only spaces and tabs are blanks there, `trim()` takes more for them. */
const option = {
  close: /(?:^|,)[ \t]*close[ \t]*(?:,|$)/,
  keepAlive: /(?:^|,)[ \t]*keep-alive[ \t]*(?:,|$)/,
  upgrade: /(?:^|,)[ \t]*upgrade[ \t]*(?:,|$)/,
};
const controlCharacter = /[\0-\x08\x0a-\x1f\x7f]/;

/** Bytes of the request line and all headers together. The inspection counts them apart. */
export const headTotal = ({ uri, headerBytes }: ServerLimits): number => uri + headerBytes + 1024;

/**
 * The head of a request, read line by line. Strict: what RFC 9112 leaves to the leniency of servers is refused, as two
 * parties on the way of a request may each read it in another way.
 */
export class WireHead implements RequestHead {
  method = "";
  url = "";
  httpVersion = "";
  readonly rawHeaders: string[] = [];
  /** The value of `Expect`. */
  expect: string | undefined;
  /** The values of all `Connection` headers, in lower case. */
  connection = "";
  hasUpgrade = false;
  /** The blank line after the headers was read. */
  done = false;
  rejected: RejectedRequest | undefined;
  #bytes = 0;

  /** Whether a part of the head has been read. Blank lines before it do not count. */
  get begun(): boolean {
    return this.method !== "";
  }

  /** Whether the client wants to send more requests on this connection. */
  get keepsAlive(): boolean {
    if (this.connection === "") return this.httpVersion === "1.1";
    return (
      !option.close.test(this.connection) && (this.httpVersion === "1.1" || option.keepAlive.test(this.connection))
    );
  }

  /** Whether the client asks for another protocol. */
  get upgrades(): boolean {
    return this.hasUpgrade && option.upgrade.test(this.connection);
  }

  /** Reads the complete lines from `start` on, up to the end of the head. Returns where it stopped. */
  read(text: string, start: number, limits: ServerLimits): number {
    let at = start;
    while (!this.done && this.rejected === undefined) {
      const end = text.indexOf("\r\n", at);
      if (end < 0) {
        this.#checkUnfinished(text, at, limits);
        break;
      }
      this.#bytes += end + 2 - at;
      if (end === at) this.done = this.begun;
      else if (this.begun) this.#readHeader(text, at, end);
      else this.#readRequestLine(text.slice(at, end));
      at = end + 2;
      if (this.#bytes > headTotal(limits)) this.#refuseLarge(limits);
    }
    return at;
  }

  #readRequestLine(line: string): void {
    const methodEnd = line.indexOf(" ");
    const urlEnd = line.indexOf(" ", methodEnd + 1);
    const version = urlEnd < 0 ? "" : line.slice(urlEnd + 1);
    this.method = line.slice(0, Math.max(methodEnd, 0));
    this.url = line.slice(methodEnd + 1, urlEnd < 0 ? undefined : urlEnd);
    if (!methods.has(this.method)) this.#refuse(400, "method");
    else if (version === "HTTP/1.1") this.httpVersion = "1.1";
    else if (urlEnd < 0)
      this.#refuse(controlCharacter.test(line) ? 400 : 505, "HTTP version"); // HTTP/0.9 has none
    else if (/^HTTP\/[0-9]\.[0-9]$/.test(version)) this.httpVersion = version.slice(5);
    else this.#refuse(400, "request line");
  }

  #readHeader(text: string, start: number, end: number): void {
    const colon = text.indexOf(":", start);
    let first = colon + 1;
    let last = end;
    while (first < last && isBlank(text.charCodeAt(first))) first++;
    while (last > first && text.charCodeAt(last - 1) === 0x20) last--;
    // parsers do not agree on whether a tab at the end belongs to the value, as in "chunked\t"
    const endsInTab = text.charCodeAt(last - 1) === 0x09 && last > first;
    if (endsInTab || !isName(text, start, colon < end ? colon : start) || !isValue(text, first, last)) {
      this.#refuse(400, "malformed header");
      return;
    }
    const name = text.slice(start, colon);
    const value = text.slice(first, last);
    this.rawHeaders.push(name, value);
    if (name.length === 6 && name.toLowerCase() === "expect") {
      this.expect = this.expect === undefined ? value : `${this.expect}, ${value}`;
    } else if (name.length === 7 && name.toLowerCase() === "upgrade") this.hasUpgrade ||= value !== "";
    else if (name.length === 10 && name.toLowerCase() === "connection") {
      this.connection += `${this.connection === "" ? "" : ","}${value.toLowerCase()}`;
    }
  }

  /** A line whose end has not arrived: refused now when its end cannot make it valid. */
  #checkUnfinished(text: string, start: number, limits: ServerLimits): void {
    const line = text.endsWith("\r") ? text.slice(start, -1) : text.slice(start);
    if (!this.begun) {
      const space = line.indexOf(" ");
      const isMethod = space < 0 ? /^[A-Z-]{0,16}$/.test(line) : methods.has(line.slice(0, space));
      if (!isMethod) this.#refuse(400, "method");
      else if (line.length > space + limits.uri + 16) this.#refuse(414, "URI too long"); // the version takes the rest
    } else if (this.#bytes + text.length - start > headTotal(limits)) this.#refuseLarge(limits);
    if (controlCharacter.test(line)) this.#refuse(400, "malformed head");
  }

  #refuseLarge(limits: ServerLimits): void {
    this.#refuse(this.url.length > limits.uri ? 414 : 431, "head too large");
  }

  #refuse(status: number, reason: string): void {
    this.rejected ??= { status, reason };
  }
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

function isName(text: string, start: number, end: number): boolean {
  for (let index = start; index < end; index++) if (isTokenCode[text.charCodeAt(index)] !== 1) return false;
  return end > start;
}

function isValue(text: string, start: number, end: number): boolean {
  for (let index = start; index < end; index++) {
    const code = text.charCodeAt(index);
    if ((code < 0x20 && code !== 0x09) || code === 0x7f) return false;
  }
  return true;
}

/** Whether a line is a header: a name, a colon and a value without control characters. */
export function isHeaderLine(line: string): boolean {
  const colon = line.indexOf(":");
  return isName(line, 0, Math.max(colon, 0)) && isValue(line, colon + 1, line.length);
}
