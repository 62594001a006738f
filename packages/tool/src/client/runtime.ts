import { readEvents } from "./event-stream.ts";

/** A function is called before each request; without a token the request is sent without one. */
export type Token = string | (() => string | undefined | Promise<string | undefined>);

export interface ClientOptions {
  /** Defaults to the first server of the document, or else to the origin of the page. */
  readonly baseUrl?: string | undefined;
  /** Where it is sent is declared by the security schemes of the document. Several tokens are given by scheme. */
  readonly token?: Token | { readonly [scheme: string]: Token } | undefined;
  /** Sent with every request. */
  readonly headers?: { readonly [name: string]: string } | undefined;
  /** Defaults to the global `fetch`. */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly headers?: { readonly [name: string]: string } | undefined;
}

/** The input of an operation that takes none. */
export interface NoInput {
  readonly [name: string]: never;
}

/** Thrown by `orThrow` for a declared status outside 200 to 299. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  readonly body: unknown;
  readonly headers: Headers;

  constructor(operation: string, { status, body, headers }: AnyResult) {
    super(`${operation} failed with status ${status}`);
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/** The document does not declare the status of the response. */
export class UndeclaredStatus extends Error {
  override readonly name = "UndeclaredStatus";
  readonly status: number;
  readonly text: string;

  constructor(operation: string, status: number, text: string) {
    super(`${operation}: the status ${status} is not declared`);
    this.status = status;
    this.text = text;
  }
}

/** The status is declared, but its body has another content type, or is not JSON. */
export class UndeclaredBody extends Error {
  override readonly name = "UndeclaredBody";
  readonly status: number;
  readonly contentType: string;
  readonly text: string;

  constructor(operation: string, status: number, contentType: string, text: string) {
    super(`${operation}: the body of status ${status} (${contentType || "no content type"}) is not as declared`);
    this.status = status;
    this.contentType = contentType;
    this.text = text;
  }
}

export interface Operation {
  readonly path: readonly string[];
  readonly method: string;
  readonly url: string;
  readonly inputs?: readonly Input[];
  /** The input has one object for each kind, because names of different kinds are the same. */
  readonly isNested?: boolean;
  readonly body?: { readonly type: string; readonly kind: "json" | "multipart" | "form" | "raw" };
  /** Content types and what becomes of them, by status. Undefined when nothing is declared. */
  readonly responses?: readonly (readonly [status: string, types: readonly ContentType[]])[];
  /** Alternatives; each is the list of schemes that are needed together. */
  readonly security?: readonly (readonly string[])[];
}

interface Input {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  /** How a list or an object is written. Defaults to repeated names. A path parameter of several segments keeps its slashes. */
  readonly style?: "comma" | "space" | "pipe" | "deep" | "json" | "segments";
}

type ContentType = readonly [type: string, kind: "json" | "text" | "events" | "blob" | "stream"];

export interface Scheme {
  readonly in: "bearer" | "basic" | "header" | "query" | "cookie";
  readonly name: string;
}

interface AnyResult {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Headers;
}

interface Fields {
  readonly [name: string]: unknown;
}

interface Group {
  [name: string]: unknown;
}

export function buildClient(
  operations: readonly Operation[],
  schemes: ReadonlyMap<string, Scheme>,
  options: ClientOptions,
): object {
  const client: Group = Object.create(null); // an operation may have a name such as __proto__
  for (const operation of operations) {
    const names = [...operation.path];
    const last = names.pop() ?? "";
    let group = client;
    for (const name of names) {
      group[name] ??= Object.create(null);
      group = group[name] as Group; // never an operation: the generator has refused such names
    }
    const call = (input?: Fields, callOptions?: CallOptions) =>
      callOperation(operation, input ?? {}, callOptions ?? {}, options, schemes);
    const orThrow = async (input?: Fields, callOptions?: CallOptions) => {
      const result = await call(input, callOptions);
      if (result.status >= 200 && result.status < 300) return result.body;
      throw new ApiError(operation.path.join("."), result);
    };
    group[last] = Object.assign(call, { orThrow });
  }
  return client;
}

async function callOperation(
  operation: Operation,
  input: Fields,
  { headers: callHeaders, signal }: CallOptions,
  { baseUrl = "", token, headers: clientHeaders, fetch: send = fetch }: ClientOptions,
  schemes: ReadonlyMap<string, Scheme>,
): Promise<AnyResult> {
  const { body: content } = input;
  const query = new URLSearchParams();
  const headers = new Headers();
  const accepted = operation.responses?.flatMap(([, types]) => types.map(([type]) => type)) ?? [];
  if (accepted.length > 0) headers.set("accept", [...new Set(accepted)].join(", "));
  const body = toBody(operation, content, headers);
  for (const [name, value] of Object.entries(clientHeaders ?? {})) headers.set(name, value);
  for (const [scheme, value] of await readTokens(operation, token, schemes)) addToken(scheme, value, headers, query);
  let path = operation.url;
  for (const parameter of operation.inputs ?? []) {
    const { name } = parameter;
    const fields = operation.isNested ? (input[parameter.in] as Fields | undefined) : input; // as the interface says
    const value = fields?.[name];
    if (parameter.in === "path") path = path.replaceAll(`{${name}}`, () => toSegments(operation, parameter, value));
    else if (value === undefined || value === null) continue;
    else if (parameter.in === "header") headers.set(name, toText(value));
    else for (const [key, text] of toPairs(parameter, value)) query.append(key, text);
  }
  for (const [name, value] of Object.entries(callHeaders ?? {})) headers.set(name, value);
  if (path.split("/").some((segment) => segment === "." || segment === "..")) {
    throw new TypeError(`${operation.path.join(".")}: a path segment must not be "." or ".."`); // it would change the path
  }
  const search = query.size > 0 ? `?${query}` : "";
  const init: RequestInit & { duplex?: "half" } = { method: operation.method, headers, signal: signal ?? null };
  if (body !== undefined) init.body = body;
  if (body instanceof ReadableStream) init.duplex = "half"; // fetch refuses a stream without it
  const response = await send(new Request(`${baseUrl.replace(/\/+$/, "")}${path}${search}`, init));
  const { status } = response;
  return { status, body: await readBody(operation, response), headers: response.headers };
}

function toSegments(operation: Operation, { name, style }: Input, value: unknown): string {
  const text = value === undefined || value === null ? "" : toText(value);
  if (text === "") throw new TypeError(`${operation.path.join(".")}: ${name} must not be empty`); // another path
  if (style !== "segments") return encodeURIComponent(text);
  const segments: unknown[] = Array.isArray(value) ? value : text.split("/");
  return segments.map((segment) => encodeURIComponent(toText(segment))).join("/");
}

function toText(value: unknown): string {
  if (Array.isArray(value)) return value.map(toText).join(",");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function toPairs({ name, style }: Input, value: unknown): [name: string, text: string][] {
  if (style === "json") return [[name, JSON.stringify(value)]];
  if (Array.isArray(value)) {
    const separator = style === "comma" ? "," : style === "space" ? " " : "|";
    if (style !== undefined && style !== "deep") return [[name, value.map(toText).join(separator)]];
    return value.map((item) => [name, toText(item)]);
  }
  if (typeof value !== "object" || value === null) return [[name, String(value)]];
  const present = Object.entries(value).filter(([, item]) => item !== undefined && item !== null);
  return present.flatMap(([key, item]) =>
    toPairs({ name: style === "deep" ? `${name}[${key}]` : key, in: "query" }, item),
  );
}

function toBody({ body }: Operation, value: unknown, headers: Headers): NonNullable<RequestInit["body"]> | undefined {
  if (body === undefined || value === undefined) return undefined;
  if (value instanceof FormData || value instanceof URLSearchParams) return value; // they set their own content type
  if (body.kind === "multipart" || body.kind === "form") {
    const form = body.kind === "form" ? new URLSearchParams() : new FormData();
    for (const [name, field] of Object.entries(value as object)) {
      // the interface takes an object
      for (const item of Array.isArray(field) ? field : [field]) {
        if (item === undefined || item === null) continue;
        if (item instanceof Blob && form instanceof FormData) form.append(name, item);
        else form.append(name, toText(item));
      }
    }
    return form;
  }
  if (!body.type.includes("*")) headers.set("content-type", body.type);
  return body.kind === "json" ? JSON.stringify(value) : (value as Blob | string); // the interface takes nothing else
}

/** The tokens of the first alternative for which all are given. */
async function readTokens(
  { security = [] }: Operation,
  token: ClientOptions["token"],
  schemes: ReadonlyMap<string, Scheme>,
): Promise<[scheme: Scheme, token: string][]> {
  if (token === undefined) return [];
  const isOne = typeof token !== "object";
  for (const names of security) {
    const found: [Scheme, string][] = [];
    for (const name of names) {
      const scheme = schemes.get(name);
      const source = isOne ? token : Object.hasOwn(token, name) ? token[name] : undefined;
      const text = typeof source === "function" ? await source() : source;
      if (scheme !== undefined && text !== undefined && !(isOne && names.length > 1)) found.push([scheme, text]);
    }
    if (names.length > 0 && found.length === names.length) return found;
  }
  return [];
}

function addToken({ in: place, name }: Scheme, token: string, headers: Headers, query: URLSearchParams): void {
  if (place === "bearer") headers.set("authorization", `Bearer ${token}`);
  else if (place === "basic") headers.set("authorization", `Basic ${btoa(token)}`);
  else if (place === "header") headers.set(name, token);
  else if (place === "query") query.set(name, token);
  else headers.append("cookie", `${name}=${token}`);
}

async function readBody(operation: Operation, response: Response): Promise<unknown> {
  const { status } = response;
  const name = operation.path.join(".");
  const type = (response.headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  const types = operation.responses === undefined ? guessTypes(type) : findTypes(operation.responses, status);
  if (types === undefined) throw new UndeclaredStatus(name, status, await response.text());
  if (operation.method === "HEAD" || status === 204 || status === 205 || status === 304) return undefined;
  if (types.length === 0) {
    await response.body?.cancel(); // an unread body would keep its connection
    return undefined;
  }
  const kind = (types.find((declared) => isDeclared(declared, type)) ?? (type === "" ? types[0] : undefined))?.[1];
  if (kind === "events") return readEvents(response.body ?? new Blob([]).stream());
  if (kind === "stream") return response.body ?? new Blob([]).stream();
  if (kind === "blob") return response.blob();
  const text = await response.text();
  if (kind === "text") return text;
  try {
    if (kind === "json") return JSON.parse(text);
  } catch {} // the same as a body of another type
  throw new UndeclaredBody(name, status, type, text);
}

function findTypes(responses: NonNullable<Operation["responses"]>, status: number): readonly ContentType[] | undefined {
  for (const key of [`${status}`, `${Math.floor(status / 100)}XX`, "default"]) {
    const found = responses.find(([declared]) => declared === key);
    if (found !== undefined) return found[1];
  }
  return undefined;
}

function isDeclared([declared, kind]: ContentType, type: string): boolean {
  if (declared === type || declared === "*/*") return true;
  return declared.endsWith("/*") ? type.startsWith(declared.slice(0, -1)) : kind === "json" && type.endsWith("json");
}

/** For an operation that declares no responses. */
function guessTypes(type: string): readonly ContentType[] {
  if (type.endsWith("json")) return [[type, "json"]];
  if (type === "text/event-stream") return [[type, "events"]];
  return [[type, type.startsWith("text/") || type === "" ? "text" : "stream"]];
}
