import { isIPv6 } from "node:net";
import type { Refusal } from "./refusal.ts";
import type { HttpLimits } from "./settings.ts";

/** The head of a request as it came, by the names that node gives to its parts. */
export interface RequestHead {
  readonly method: string;
  readonly url: string;
  readonly httpVersion: string;
  /** Names and values in turn, nothing joined, nothing dropped. */
  readonly rawHeaders: readonly string[];
}

/** What was learnt on the way, so that nobody walks the headers again. */
export interface Inspected {
  path: string;
  search: string;
  host: string;
  /** Undefined without a declared length. */
  readonly contentLength: number | undefined;
  readonly chunked: boolean;
  readonly authorization: string | undefined;
}

/**
 * Refuses what node:http lets through and no application should have to think of.
 * `knownHost` was accepted before: a connection names the same one with every request.
 */
export function inspect(head: RequestHead, limits: HttpLimits, knownHost?: string): Inspected | Refusal {
  if (head.httpVersion !== "1.1" && head.httpVersion !== "1.0") return refuse(505, "HTTP version");
  if (head.method === "TRACE") return refuse(501, "TRACE");
  if (head.url.length > limits.uri) return refuse(414, "URI too long");
  if (head.rawHeaders.length > 2 * limits.headerCount) return refuse(431, "too many headers");
  const inspected = inspectHeaders(head, limits, knownHost);
  if (isRefusal(inspected)) return inspected;
  return readTarget(head.url, inspected) ? inspected : refuse(400, badTarget);
}

export const badTarget = "request target";

export function isRefusal(result: Inspected | Refusal): result is Refusal {
  return "status" in result;
}

function inspectHeaders(head: RequestHead, limits: HttpLimits, knownHost: string | undefined): Inspected | Refusal {
  const { rawHeaders } = head;
  let bytes = 0;
  let host: string | undefined;
  let authorization: string | undefined;
  let contentType: string | undefined;
  let apiKey: string | undefined;
  let contentLength: string | undefined;
  let transferEncoding: string | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string; // names and values alternate
    const value = rawHeaders[index + 1] as string;
    bytes += name.length + value.length + 4;
    // most headers are told apart by their length alone
    switch (name.length) {
      case 4:
        if (name.toLowerCase() !== "host") break;
        if (host !== undefined) return refuse(400, "duplicate Host");
        host = value;
        break;
      case 9:
        if (name.toLowerCase() !== "x-api-key") break;
        if (apiKey !== undefined) return refuse(400, "duplicate X-API-Key");
        apiKey = value;
        break;
      case 12:
        if (name.toLowerCase() !== "content-type") break;
        if (contentType !== undefined) return refuse(400, "duplicate Content-Type");
        contentType = value;
        break;
      case 13:
        if (name.toLowerCase() !== "authorization") break;
        if (authorization !== undefined) return refuse(400, "duplicate Authorization");
        authorization = value;
        break;
      case 14:
        if (name.toLowerCase() !== "content-length") break;
        if (contentLength !== undefined) return refuse(400, "duplicate Content-Length");
        contentLength = value;
        break;
      case 16:
        if (name.toLowerCase() === "content-encoding") return refuse(415, "Content-Encoding");
        break;
      case 17:
        if (name.toLowerCase() !== "transfer-encoding") break;
        if (transferEncoding !== undefined) return refuse(400, "duplicate Transfer-Encoding");
        transferEncoding = value;
        break;
    }
  }
  if (bytes > limits.headerBytes) return refuse(431, "headers too large");
  if (host === undefined ? head.httpVersion === "1.1" : host !== knownHost && !isPlainHost(host))
    return refuse(400, "Host");
  if (contentType !== undefined && !isMediaType(contentType)) return refuse(400, "Content-Type");
  if (transferEncoding !== undefined) {
    if (head.httpVersion === "1.0" || contentLength !== undefined) return refuse(400, "Transfer-Encoding");
    if (transferEncoding.toLowerCase() !== "chunked") return refuse(400, "Transfer-Encoding");
  }
  if (contentLength !== undefined && !/^[0-9]{1,15}$/.test(contentLength)) return refuse(400, "Content-Length");
  return {
    path: "",
    search: "",
    host: host ?? "",
    contentLength: contentLength === undefined ? undefined : Number(contentLength),
    chunked: transferEncoding !== undefined,
    authorization,
  };
}

/**
 * Origin form, or absolute form with a plain authority, which then is the host (RFC 9112, 3.2.2).
 * What follows `#` is never part of a request. False for anything else.
 */
function readTarget(target: string, into: Inspected): boolean {
  let start = 0;
  if (target.charCodeAt(0) !== 0x2f) {
    const scheme = /^https?:\/\//i.exec(target);
    if (scheme === null) return false;
    const [authority = ""] = target.slice(scheme[0].length).split(/[/?#]/, 1);
    if (!isPlainHost(authority)) return false;
    into.host = authority;
    start = scheme[0].length + authority.length;
  }
  let question = -1;
  let end = target.length;
  for (let index = start; index < end; index++) {
    const code = target.charCodeAt(index);
    if (code <= 0x20 || code >= 0x7f) return false;
    if (code === 0x3f && question < 0) question = index;
    else if (code === 0x23) end = index;
  }
  const pathEnd = question < 0 ? end : question;
  const path = start === 0 && pathEnd === target.length ? target : target.slice(start, pathEnd);
  into.path = path === "" ? "/" : path;
  if (question >= 0) into.search = target.slice(question + 1, end);
  return true;
}

const octet = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
const label = "[A-Za-z0-9_-]+";
// a name whose last label is a number would be read as an address by a URL parser
const name = `(?:${label}\\.)*(?!0[xX][0-9A-Fa-f]*\\.?(?:$|:))[0-9]*[A-Za-z_-][A-Za-z0-9_-]*\\.?`;
const port = "(?:[0-5]?[0-9]{1,4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])";
const plainHost = new RegExp(`^(?:${name}|${octet}(?:\\.${octet}){3}|\\[[0-9A-Fa-f:.]+\\])(?::${port})?$`);

/** `name[:port]`, `1.2.3.4[:port]` or `[::1][:port]`, nothing that a URL parser would refuse or read otherwise. */
export function isPlainHost(host: string): boolean {
  if (host.length > 255 || !plainHost.test(host)) return false;
  return host.charCodeAt(0) !== 0x5b || isIPv6(host.slice(1, host.indexOf("]")));
}

const tokenCharacters = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
// blanks stand in one place only: with a choice between two, a header of 200 bytes keeps the matcher busy for ever
const mediaType = new RegExp(
  `^${tokenCharacters}/${tokenCharacters}(?:[ \\t]*;(?:[ \\t]*${tokenCharacters}=(?:${tokenCharacters}|"[^"\\\\\\x00-\\x1f\\x7f]*"))?)*[ \\t]*$`,
);

/** `type/subtype` and well-formed parameters. */
export function isMediaType(value: string): boolean {
  return value.length <= 256 && mediaType.test(value);
}

function refuse(status: number, reason: string): Refusal {
  return { status, reason };
}
