import { ApiError } from "./errors.ts";
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
    else if (value === undefined) continue;
    else if (parameter.in === "header") addHeader(name, value, headers);
    else for (const [key, text] of toPairs(parameter, value)) query.append(key, text);
  }
  for (const [name, value] of Object.entries(callHeaders ?? {})) headers.set(name, value);
  if (path.split("/").some((segment) => segment === "." || segment === "..")) {
    throw new TypeError(`${operation.path.join(".")}: a path segment must not be "." or ".."`); // it would change the path
  }
  const search = `${query}` === "" ? "" : `?${query}`;
  const init: RequestInit & { duplex?: "half" } = { method: operation.method, headers, signal: signal ?? null };
  if (body !== undefined) init.body = body;
  // fetch would follow a declared redirect, and the status of its target is not declared
  if (operation.responses?.some(([status]) => /^3(?!04)/.test(status))) init.redirect = "manual";
  if (body instanceof ReadableStream) init.duplex = "half"; // fetch refuses a stream without it
  const response = await send(new Request(`${baseUrl.replace(/\/+$/, "")}${path}${search}`, init));
  const { status } = response;
  return { status, body: await readBody(operation, response), headers: response.headers };
}
