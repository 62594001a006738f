import { ApiError } from "./errors.ts";
import type { LiveCallOptions, OpenLive } from "./live-types.ts";
import type { AnyResult, Fields, Operation, Scheme } from "./operation.ts";
import type { CallOptions, ClientOptions } from "./options.ts";
import { addHeader, addToken, readTokens, toBody, toPairs, toSegments } from "./request.ts";
import { readBody } from "./response.ts";

interface Group {
  [name: string]: unknown;
}

export function buildClient(
  operations: readonly Operation[],
  schemes: ReadonlyMap<string, Scheme>,
  options: ClientOptions,
  openLive?: OpenLive,
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
    if (operation.live !== undefined && openLive !== undefined) {
      group[last] = (input: Fields = {}, callOptions: LiveCallOptions = {}) => {
        const send = options.fetch ?? fetch;
        const call = () => prepare(operation, input, callOptions, options, schemes);
        return openLive({ operation, options: callOptions, prepare: call, send }, options);
      };
      continue;
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

interface Prepared {
  readonly url: string;
  readonly headers: Headers;
  readonly body: ReturnType<typeof toBody>;
}

async function prepare(
  operation: Operation,
  input: Fields,
  { headers: callHeaders }: CallOptions,
  { baseUrl = "", token, headers: clientHeaders }: ClientOptions,
  schemes: ReadonlyMap<string, Scheme>,
): Promise<Prepared> {
  const { body: content } = input;
  const query = new URLSearchParams();
  const headers = new Headers();
  const body = toBody(operation, content, headers);
  for (const [name, value] of Object.entries(clientHeaders ?? {})) headers.set(name, value);
  for (const [scheme, value] of await readTokens(operation, token, schemes)) addToken(scheme, value, headers, query);
  let path = operation.url;
  for (const parameter of operation.inputs ?? []) {
    const { name } = parameter;
    const fields = operation.isNested ? (input[parameter.in] as Fields | undefined) : input; // as the interface says
    const value = fields?.[name];
    if (parameter.in === "path") path = path.replaceAll(`{${name}}`, () => toSegments(operation, parameter, value));
    else if (value === undefined) continue;
    else if (parameter.in === "header") addHeader(parameter, value, headers);
    else for (const [key, text] of toPairs(parameter, value)) query.append(key, text);
  }
  for (const [name, value] of Object.entries(callHeaders ?? {})) headers.set(name, value);
  if (path.split("/").some((segment) => segment === "." || segment === "..")) {
    throw new TypeError(`${operation.path.join(".")}: a path segment must not be "." or ".."`); // it would change the path
  }
  const search = `${query}` === "" ? "" : `?${query}`;
  return { url: joinUrl(operation, baseUrl, `${path}${search}`), headers, body };
}

/** A path of the document must not change the host, which gets the token. */
function joinUrl(operation: Operation, baseUrl: string, path: string): string {
  const page = "http://page.invalid"; // any origin: that of a relative URL is compared with itself
  const url = `${baseUrl.replace(/\/+$/, "")}${path.startsWith("/") ? "" : "/"}${path}`;
  if (new URL(url, page).origin === new URL(baseUrl, page).origin) return url;
  throw new TypeError(`${operation.path.join(".")}: ${path} leads away from ${baseUrl || "the origin of the page"}`);
}

async function callOperation(
  operation: Operation,
  input: Fields,
  callOptions: CallOptions,
  options: ClientOptions,
  schemes: ReadonlyMap<string, Scheme>,
): Promise<AnyResult> {
  const { url, headers, body } = await prepare(operation, input, callOptions, options, schemes);
  const accepted = operation.responses?.flatMap(([, types]) => types.map(([type]) => type)) ?? [];
  if (accepted.length > 0 && !headers.has("accept")) headers.set("accept", [...new Set(accepted)].join(", "));
  const { method, responses } = operation;
  const init: RequestInit & { duplex?: "half" } = { method, headers, signal: callOptions.signal ?? null };
  if (body !== undefined) init.body = body;
  // fetch would follow a declared redirect, and the status of its target is not declared
  if (responses?.some(([status]) => /^3(?!04)/.test(status))) init.redirect = "manual";
  if (body instanceof ReadableStream) init.duplex = "half"; // fetch refuses a stream without it
  const { fetch: send = fetch } = options;
  const response = await send(new Request(url, init));
  const { status } = response;
  return { status, body: await readBody(operation, response), headers: response.headers };
}
