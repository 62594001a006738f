import { tokenCharacter } from "@tenon/server/internal";
import type { MiddlewareFunction } from "../request/handler.ts";
import type { ResponseHeaders } from "../request/headers.ts";
import { Reply } from "../request/reply.ts";
import { checkOptions, refuseOption, takes } from "../support/options.ts";
import { addVary } from "./negotiation.ts";

export interface CorsOptions {
  /** Which origins may read the responses: a list, or a function, which never gets `null`. Defaults to `"*"`, all of them. */
  readonly origins?: "*" | readonly string[] | ((origin: string) => boolean);
  /** Defaults to GET, HEAD, POST, PUT, PATCH and DELETE. */
  readonly methods?: readonly string[];
  /** Request headers that a page may set. Defaults to those that it asks for. */
  readonly headers?: readonly string[];
  /** Response headers that a page may read, in addition to those that browsers always show. */
  readonly exposedHeaders?: readonly string[];
  /** Lets pages send cookies. Needs a list of origins. Defaults to false. */
  readonly credentials?: boolean;
  /** Seconds for which a browser may cache the response to a preflight. */
  readonly maxAge?: number;
}

const tokenList = new RegExp(`^(?:${tokenCharacter}|[, \\t])+$`);
const origin = /^[a-z][a-z0-9+.-]*:\/\/[^\s,/?#@\\]+$/;

const originList = takes.listOf(isListed, 'It takes what browsers send, for example ["https://example.com"].');

/** Lets pages of other origins call the application, and responds to their preflights. For the application's middlewares. */
export function cors(options: CorsOptions = {}): MiddlewareFunction {
  const { origins = "*", credentials = false, maxAge } = options;
  checkOptions("cors()", options, {
    origins: origins === "*" || typeof origins === "function" ? true : originList,
    methods: true,
    headers: true,
    exposedHeaders: true,
    credentials: true,
    maxAge: takes.wholeNumber(0),
  });
  if (origins === "*" && credentials)
    refuseOption(
      'cors({ credentials: true }) with origins "*" would open every session to every site. List the origins.',
    );
  const methods = (options.methods ?? ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]).join(", ");
  const allowedHeaders = options.headers?.join(", ");
  const exposedHeaders = options.exposedHeaders?.join(", ") ?? "";
  const isAllowed = toDecision(origins);

  const writePreflight = (headers: ResponseHeaders, wanted: string): void => {
    if (allowedHeaders === undefined) addVary(headers, "Access-Control-Request-Headers");
    setUnlessEmpty(headers, "access-control-allow-methods", methods);
    setUnlessEmpty(headers, "access-control-allow-headers", allowedHeaders ?? (tokenList.test(wanted) ? wanted : ""));
    if (maxAge !== undefined) headers.setHeader("access-control-max-age", String(maxAge));
  };

  return function cors(ctx, next) {
    const from = ctx.header("origin");
    const isPreflight = ctx.method === "OPTIONS" && from !== "" && ctx.header("access-control-request-method") !== "";
    let allowed = false;
    ctx.onReply(({ headers }) => {
      // a second value, or one that a handler copied from the request, would undo the list
      headers.removeHeader("access-control-allow-origin").removeHeader("access-control-allow-credentials");
      if (origins !== "*") addVary(headers, "Origin");
      if (!allowed) return;
      headers.setHeader("access-control-allow-origin", origins === "*" ? "*" : from);
      if (credentials) headers.setHeader("access-control-allow-credentials", "true");
      if (isPreflight) writePreflight(headers, ctx.header("access-control-request-headers"));
      else setUnlessEmpty(headers, "access-control-expose-headers", exposedHeaders);
    });
    allowed = isAllowed(from); // after the hook, which then runs also when the function throws
    return isPreflight ? new Reply(204, "empty", undefined) : next();
  };
}

function toDecision(origins: NonNullable<CorsOptions["origins"]>): (from: string) => boolean {
  if (origins === "*") return () => true; // the same for every origin, so that caches need no variants
  if (typeof origins === "function") return (from) => origin.test(from) && origins(from) === true;
  const listed = new Set(origins);
  return (from) => listed.has(from);
}

function setUnlessEmpty(headers: ResponseHeaders, name: string, value: string): void {
  if (value !== "") headers.setHeader(name, value);
}

/** As browsers write it: no path, no trailing slash, no default port, the host in lower case. */
function isListed(text: unknown): boolean {
  if (text === "null") return true;
  if (typeof text !== "string" || !origin.test(text) || !URL.canParse(text)) return false;
  return !/^https?:/.test(text) || new URL(text).origin === text;
}
