import { isIPv6 } from "node:net";
import { isMediaType } from "./grammar.ts";
import type { ServerLimits, SingleHeaders } from "./limits.ts";

/** The head of a request as it was received, with the property names of node:http. */
export interface RequestHead {
  readonly method: string;
  readonly url: string;
  readonly httpVersion: string;
  /** Names and values alternate, nothing joined, nothing dropped. */
  readonly rawHeaders: readonly string[];
}

/** What the inspection has read from the head, so that it is not parsed again. */
export interface Inspected {
  path: string;
  search: string;
  host: string;
  /** Undefined without a declared length. */
  readonly contentLength: number | undefined;
  readonly chunked: boolean;
}

/** What a request is rejected for: HTTP violations that node:http lets through, and limits. */
export function inspect(
  head: RequestHead,
  { limits, singleHeaders }: { readonly limits: ServerLimits; readonly singleHeaders: SingleHeaders },
): Inspected | RejectedRequest {
  if (head.httpVersion !== "1.1" && head.httpVersion !== "1.0") return refuse(505, "HTTP version");
  if (head.method === "TRACE") return refuse(501, "TRACE");
  if (head.url.length > limits.uri) return refuse(414, "URI too long");
  if (head.rawHeaders.length > 2 * limits.headerCount) return refuse(431, "too many headers");
  const inspected = inspectHeaders(head, limits, singleHeaders);
  if (isRejected(inspected)) return inspected;
  if (readTarget(head.url, inspected)) return inspected;
  const isServerOptions = head.method === "OPTIONS" && head.url === "*"; // asks whether the server is there (RFC 9110, 9.3.7)
  return refuse(isServerOptions ? 204 : 400, "request target");
}

export function isRejected(result: Inspected | RejectedRequest): result is RejectedRequest {
  return "status" in result;
}

function inspectHeaders(
  { rawHeaders, httpVersion }: RequestHead,
  limits: ServerLimits,
  singleHeaders: SingleHeaders,
): Inspected | RejectedRequest {
  let bytes = 0;
  const seen: string[] = [];
  let host: string | undefined;
  let contentType: string | undefined;
  let contentLength: string | undefined;
  let transferEncoding: string | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string; // names and values alternate
    const value = rawHeaders[index + 1] as string;
    bytes += name.length + value.length + 4;
    const candidates = singleHeaders[name.length];
    const lower = candidates === undefined ? "" : name.toLowerCase();
    if (candidates?.includes(lower)) {
      if (seen.includes(lower)) return refuse(400, `duplicate ${lower}`);
      seen.push(lower);
      if (lower === "host") host = value;
      else if (lower === "content-type") contentType = value;
      else if (lower === "content-length") contentLength = value;
      else if (lower === "transfer-encoding") transferEncoding = value;
    }
    if (name.length === 16 && name.toLowerCase() === "content-encoding") return refuse(415, "Content-Encoding");
  }
  if (bytes > limits.headerBytes) return refuse(431, "headers too large");
  if (host === undefined ? httpVersion === "1.1" : !isPlainHost(host)) return refuse(400, "Host");
  if (contentType !== undefined && !isMediaType(contentType)) return refuse(400, "Content-Type");
  if (transferEncoding !== undefined) {
    if (httpVersion === "1.0" || contentLength !== undefined) return refuse(400, "Transfer-Encoding");
    if (transferEncoding.toLowerCase() !== "chunked") return refuse(400, "Transfer-Encoding");
  }
  if (contentLength !== undefined && !/^[0-9]{1,15}$/.test(contentLength)) return refuse(400, "Content-Length");
  return {
    path: "",
    search: "",
    host: host ?? "",
    contentLength: contentLength === undefined ? undefined : Number(contentLength),
    chunked: transferEncoding !== undefined,
  };
}

/**
 * Origin form, or absolute form with a plain authority, which then is the host (RFC 9112, 3.2.2).
 * A fragment (`#`) is never part of a request. False for anything else.
 */
function readTarget(target: string, into: Inspected): boolean {
  let start = 0;
  if (target.charCodeAt(0) !== 0x2f) {
    const scheme = /^https?:\/\//i.exec(target);
    if (scheme === null) return false;
    const [authority = ""] = target.slice(scheme[0].length).split(/[/?#]/, 1);
    start = scheme[0].length + authority.length;
    if (!isPlainHost(authority) || target[start] === "#") return false;
    into.host = authority;
  }
  let question = -1;
  let end = target.length;
  for (let index = start; index < target.length; index++) {
    const code = target.charCodeAt(index);
    if (code <= 0x20 || code >= 0x7f) return false;
    if (index > end) continue; // the fragment
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

/** The last host that was valid: most requests of a server have the same. */
let knownHost: string | undefined;

/** `name[:port]`, `1.2.3.4[:port]` or `[::1][:port]`: nothing that a URL parser refuses or reads as another host. */
export function isPlainHost(host: string): boolean {
  if (host === knownHost) return true;
  const isAddress = host.charCodeAt(0) === 0x5b;
  if (host.length > 255 || !plainHost.test(host) || (isAddress && !isIPv6(host.slice(1, host.indexOf("]")))))
    return false;
  knownHost = host;
  return true;
}

function refuse(status: number, reason: string): RejectedRequest {
  return { status, reason };
}

/** A request that gets its response before it reaches the kernel. The connection closes after it. */
export interface RejectedRequest {
  readonly status: number;
  readonly reason: string;
}
