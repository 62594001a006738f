import type { Input, Operation, Scheme } from "./operation.ts";
import type { ClientOptions, Token } from "./options.ts";
import { isDeclared } from "./response.ts";

export function toSegments(operation: Operation, { name, style }: Input, value: unknown): string {
  const text = style === "json" ? JSON.stringify(value) : toText(value);
  if (text === "") throw new TypeError(`${operation.path.join(".")}: ${name} must not be empty`); // another path
  if (style !== "segments") return encodeURIComponent(text);
  const segments: string[] = Array.isArray(value) ? value.map(toText) : text.split("/");
  if (segments[0] === "") {
    throw new TypeError(`${operation.path.join(".")}: the first segment of ${name} must not be empty`); // another host
  }
  return segments.map(encodeURIComponent).join("/");
}

/** Null is an empty text, as a form has it. */
function toText(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (Array.isArray(value)) return value.map(toText).join(",");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** An empty header would be a value of its own: null and an empty list have none, unless they are sent as JSON. */
export function addHeader({ name, style }: Input, value: unknown, headers: Headers): void {
  if (style === "json") headers.set(name, JSON.stringify(value));
  else if (value !== null && !(Array.isArray(value) && value.length === 0)) headers.set(name, toText(value));
}

export function toPairs({ name, style }: Input, value: unknown): [name: string, text: string][] {
  if (style === "json") return [[name, JSON.stringify(value)]];
  if (Array.isArray(value)) {
    const separator = style === "comma" ? "," : style === "space" ? " " : "|";
    if (style !== undefined && style !== "deep" && value.length > 0) return [[name, value.map(toText).join(separator)]];
    return value.map((item) => [name, toText(item)]);
  }
  if (typeof value !== "object" || value === null) return [[name, toText(value)]];
  const present = Object.entries(value).filter(([, item]) => item !== undefined);
  return present.flatMap(([key, item]) =>
    toPairs({ name: style === "deep" ? `${name}[${key}]` : key, in: "query" }, item),
  );
}

export function toBody(
  { body }: Operation,
  value: unknown,
  headers: Headers,
): NonNullable<RequestInit["body"]> | undefined {
  if (body === undefined || value === undefined) return undefined;
  if (value instanceof FormData || value instanceof URLSearchParams) return value; // they set their own content type
  if (body.kind === "multipart" || body.kind === "form") {
    const form = body.kind === "form" ? new URLSearchParams() : new FormData();
    const jsonParts = new Map(body.jsonFields);
    // the interface takes an object
    for (const [name, field] of Object.entries(value as object)) {
      const part = jsonParts.get(name);
      for (const item of Array.isArray(field) && part !== "value" ? field : [field]) {
        if (item === undefined) continue;
        if (item instanceof Blob && form instanceof FormData) form.append(name, item);
        else form.append(name, part === undefined ? toText(item) : JSON.stringify(item));
      }
    }
    return form;
  }
  const own = value instanceof Blob ? value.type : "";
  const media = (own.split(";")[0] ?? "").trim();
  const isOwn = media !== "" && body.types?.some((type) => isDeclared([type, "stream"], media)) === true;
  if (isOwn) headers.set("content-type", own);
  else if (!body.type.includes("*")) headers.set("content-type", body.type);
  return body.kind === "json" ? JSON.stringify(value) : (value as Blob | string); // the interface takes nothing else
}

/** Which of several schemes a single token is for: browsers send cookies themselves. */
const ranks = { bearer: 0, basic: 1, header: 1, query: 1, cookie: 2 };

/** The tokens of the first alternative for which all are given. */
export async function readTokens(
  { security = [] }: Operation,
  token: ClientOptions["token"],
  schemes: ReadonlyMap<string, Scheme>,
): Promise<[scheme: Scheme, token: string][]> {
  if (token === undefined) return [];
  if (typeof token !== "object") {
    const scheme = findScheme(security, schemes);
    const text = scheme !== undefined && typeof token === "function" ? await token() : token;
    return scheme === undefined || typeof text !== "string" ? [] : [[scheme, text]];
  }
  const sources: { readonly [scheme: string]: Token | undefined } = token;
  for (const names of security) {
    const found: [Scheme, string][] = [];
    for (const name of names) {
      const scheme = schemes.get(name);
      const source = Object.hasOwn(sources, name) ? sources[name] : undefined;
      const text = typeof source === "function" ? await source() : source;
      if (scheme !== undefined && text !== undefined) found.push([scheme, text]);
    }
    if (names.length > 0 && found.length === names.length) return found;
  }
  return [];
}

/** The scheme of a single token. Of schemes that are needed together, only the bearer takes it. */
function findScheme(
  security: NonNullable<Operation["security"]>,
  schemes: ReadonlyMap<string, Scheme>,
): Scheme | undefined {
  const toSchemes = (names: readonly string[]) => names.flatMap((name) => schemes.get(name) ?? []);
  const alone = security.filter((names) => names.length === 1).flatMap(toSchemes);
  const [first] = alone.sort((a, b) => ranks[a.in] - ranks[b.in]);
  return first ?? security.flatMap(toSchemes).find((scheme) => scheme.in === "bearer");
}

export function addToken({ in: place, name }: Scheme, token: string, headers: Headers, query: URLSearchParams): void {
  if (place === "bearer") headers.set("authorization", `Bearer ${token}`);
  else if (place === "basic") headers.set("authorization", `Basic ${btoa(token)}`);
  else if (place === "header") headers.set(name, token);
  else if (place === "query") query.set(name, token);
  else headers.append("cookie", `${name}=${token}`);
}
