import type * as FastCheck from "fast-check";
import type { JsonSchema } from "../dto/json-schema.ts";
import type { Method } from "../record.ts";
import { Arbitraries, allowsAnything, isFile, mediaTypeOf, propertiesOf, type Schemas } from "./arbitrary.ts";
import { refuseUnreached } from "./fuzz-reach.ts";
import type { TestHttpApp, TestRequestOptions } from "./test-app.ts";

export interface FuzzOptions {
  /** How many requests to send in all. Defaults to 1,000. */
  readonly requests?: number;
  /** Repeats a run; each failure names its seed. */
  readonly seed?: number;
  /** Only these operations, by their ids: `["posts.create"]`. */
  readonly only?: readonly string[];
  /** All but these. */
  readonly skip?: readonly string[];
  /** Headers for the requests of an operation, such as the credentials that its guard needs. */
  readonly headers?: (
    operation: FuzzedOperation,
  ) => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
  /**
   * Values of path parameters that exist, for about half of the requests: `{ id: [post.id] }`. A function is called for
   * each of these requests, and can create what the request may change or delete.
   */
  readonly params?:
    | Readonly<Record<string, readonly ParamValue[]>>
    | ((
        operation: FuzzedOperation,
      ) => Readonly<Record<string, ParamValue>> | Promise<Readonly<Record<string, ParamValue>>>);
}

type ParamValue = string | number;

export interface FuzzedOperation {
  readonly id: string;
  readonly method: string;
  /** As in the document: `/posts/{id}`. */
  readonly path: string;
  /** The names of the security schemes that it declares. */
  readonly security: readonly string[];
}

export interface FuzzReport {
  readonly requests: number;
  /** By operation: how many responses had each status. */
  readonly statuses: Readonly<Record<string, Readonly<Record<number, number>>>>;
}

/** An operation as far as requests need it. */
interface Operation extends FuzzedOperation {
  readonly parameters: readonly Parameter[];
  readonly body: DeclaredBody | undefined;
  readonly declared: ReadonlySet<string>;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: JsonSchema;
}

interface DeclaredBody {
  readonly type: string;
  readonly schema: JsonSchema;
  readonly required: boolean;
  /** Its fields by their names, for a form. */
  readonly fields: Readonly<Record<string, JsonSchema>>;
}

interface FuzzedRequest {
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  /** Whether its path parameters are those of the option `params`. */
  readonly isKnown: boolean;
  /** Whether the body breaks its schema. */
  readonly isInvalid: boolean;
}

/**
 * Sends requests that are generated from the OpenAPI document, valid ones and invalid ones, and throws at the first
 * response that is not as declared: an undeclared status or body, an undeclared 5xx, an invalid body that is accepted.
 * The request is reduced to a small one first. Needs the package fast-check, and an application that checks contracts.
 */
export async function fuzzContract(app: TestHttpApp, options: FuzzOptions = {}): Promise<FuzzReport> {
  const fc = await loadFastCheck();
  const { requests = 1000, seed } = options;
  const document = (await app.openapi()) as unknown as Document; // plain JSON, read here as far as it is needed
  const arbitraries = new Arbitraries(fc, document.components?.schemas ?? {});
  const operations = toOperations(document, arbitraries).filter(
    ({ id }) => (options.only?.includes(id) ?? true) && options.skip?.includes(id) !== true,
  );
  if (operations.length === 0) throw new Error("fuzzContract() found no operation to send requests to");

  const statuses: Record<string, Record<number, number>> = {};
  let sent = 0;
  const runs = Math.max(1, Math.ceil(requests / operations.length));
  for (const operation of operations) {
    const counts: Record<number, number> = {};
    statuses[operation.id] = counts;
    let valid = 0;
    const property = fc.asyncProperty(toRequests(fc, arbitraries, operation, options), async (request) => {
      const response = await send(app, operation, request, options);
      counts[response.status] = (counts[response.status] ?? 0) + 1;
      sent++;
      if (!request.isInvalid) valid++;
      await response.body?.cancel();
      const fault = findFault(operation, request, response.status);
      if (fault !== undefined) throw new Error(fault);
    });
    const outcome = await fc.check(property, { numRuns: runs, ...(seed === undefined ? {} : { seed }) });
    if (outcome.failed) throw new Error(describeFailure(operation, outcome));
    refuseUnreached(operation, counts, valid);
  }
  return { requests: sent, statuses };
}

async function loadFastCheck(): Promise<typeof FastCheck> {
  try {
    return await import("fast-check");
  } catch (error) {
    throw new Error("fuzzContract() needs fast-check: run npm install --save-dev fast-check", { cause: error });
  }
}

interface Document {
  readonly paths?: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components?: { readonly schemas?: Schemas };
}

interface OperationObject {
  readonly operationId?: string;
  readonly "x-tenon-live"?: unknown;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly required?: boolean;
    readonly content: Readonly<Record<string, { readonly schema?: JsonSchema }>>;
  };
  readonly responses: Readonly<Record<string, unknown>>;
  readonly security?: readonly Readonly<Record<string, unknown>>[];
}

const methods = ["get", "post", "put", "patch", "delete"];

function toOperations({ paths = {} }: Document, arbitraries: Arbitraries): Operation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      // an event stream has no end, and a WebSocket needs a socket
      .filter(([method, operation]) => methods.includes(method) && operation["x-tenon-live"] === undefined)
      .map(([method, operation]) => ({
        id: operation.operationId ?? `${method.toUpperCase()} ${path}`,
        method: method.toUpperCase(),
        path,
        security: (operation.security ?? []).flatMap(Object.keys),
        parameters: (operation.parameters ?? [])
          .filter((parameter) => parameter.in !== "query" || !arbitraries.hasObjects(parameter.schema))
          .map((parameter) => ({ ...parameter, schema: arbitraries.resolve(parameter.schema) })),
        body: toBody(operation, arbitraries),
        declared: new Set(Object.keys(operation.responses)),
      })),
  );
}

function toBody({ requestBody }: OperationObject, arbitraries: Arbitraries): DeclaredBody | undefined {
  const [type, media] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  if (type === undefined) return undefined;
  const schema = media?.schema ?? {};
  const fields = Object.entries(propertiesOf(arbitraries.resolve(schema))).map(
    ([name, one]) => [name, arbitraries.resolve(one)] as const,
  );
  return { type, schema, required: requestBody?.required === true, fields: Object.fromEntries(fields) };
}

function toRequests(
  fc: typeof FastCheck,
  arbitraries: Arbitraries,
  operation: Operation,
  options: FuzzOptions,
): FastCheck.Arbitrary<FuzzedRequest> {
  const parametersIn = (place: string) => {
    const found = operation.parameters.filter((parameter) => parameter.in === place);
    const model = found.map(({ name, schema }) => [name, arbitraries.valid(schema)] as const);
    const requiredKeys = found.filter(({ required }) => required === true).map(({ name }) => name);
    const required = model.filter(([name]) => requiredKeys.includes(name));
    // half of them without optional ones, some of which (a cursor) no generated value can satisfy
    return fc.oneof(fc.record(Object.fromEntries(required)), fc.record(Object.fromEntries(model), { requiredKeys }));
  };
  const listed = typeof options.params === "function" ? {} : options.params;
  const known = Object.entries(listed ?? {}).map(([name, values]) => [name, fc.constantFrom(...values)] as const);
  const place = fc.tuple(parametersIn("path"), fc.record(Object.fromEntries(known)), fc.boolean());
  return fc
    .record({
      place: place.map(([random, existing, isKnown]) => ({
        params: isKnown ? { ...random, ...existing } : random,
        isKnown,
      })),
      query: parametersIn("query"),
      headers: parametersIn("header"),
      content: toBodies(fc, arbitraries, operation),
    })
    .map(({ place, content, ...request }) => ({ ...place, ...request, ...content }));
}

function toBodies(
  fc: typeof FastCheck,
  arbitraries: Arbitraries,
  { body }: Operation,
): FastCheck.Arbitrary<Pick<FuzzedRequest, "body" | "isInvalid">> {
  if (body === undefined) return fc.constant({ body: undefined, isInvalid: false });
  const valid = arbitraries.valid(body.schema).map((value) => ({ body: value, isInvalid: false }));
  const invalid = arbitraries.invalid(body.schema)?.map((value) => ({ body: value, isInvalid: true }));
  const absent = fc.constant({ body: undefined, isInvalid: body.required });
  const cases = [
    { arbitrary: valid, weight: 6 },
    { arbitrary: absent, weight: 1 },
  ];
  return fc.oneof(
    ...(invalid === undefined || !isJson(body.type) ? cases : [...cases, { arbitrary: invalid, weight: 3 }]),
  );
}

async function send(
  app: TestHttpApp,
  operation: Operation,
  { params, query, headers, body, isKnown }: FuzzedRequest,
  options: FuzzOptions,
): Promise<Response> {
  const textsIn = (place: string, values: Readonly<Record<string, unknown>>) =>
    operation.parameters
      .filter(({ name, in: at }) => at === place && Object.hasOwn(values, name))
      .flatMap(({ name, schema }) => toTexts(schema, values[name]).map((text) => [name, text] as const));
  const created = isKnown && typeof options.params === "function" ? await options.params(operation) : {};
  const segments = new Map(textsIn("path", { ...params, ...created }));
  const path = operation.path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => toSegment(segments.get(name) ?? ""));
  const pairs = textsIn("query", query);
  const search = pairs.length === 0 ? "" : `?${new URLSearchParams(pairs.map((pair) => [...pair]))}`;
  const texts = textsIn("header", headers).map(([name, text]) => [name, encodeURIComponent(text)] as const);
  const given = await options.headers?.(operation);
  return app.request(operation.method as Method, `${path}${search}`, {
    headers: { ...Object.fromEntries(texts), ...given, ...typeOf(operation, body) },
    ...toSent(operation, body),
  });
}

/** An empty segment, "." and ".." would lead to another path. */
function toSegment(text: string): string {
  return /^\.{0,2}$/.test(text) ? "x" : encodeURIComponent(text);
}

function typeOf({ body: declared }: Operation, body: unknown): Record<string, string> {
  const isSent = declared !== undefined && body !== undefined && !declared.type.startsWith("multipart/");
  return isSent ? { "content-type": declared.type } : {};
}

function toSent({ body: declared }: Operation, body: unknown): TestRequestOptions {
  if (declared === undefined || body === undefined) return {};
  if (isJson(declared.type)) return { body: JSON.stringify(body) };
  if (!declared.type.includes("form")) return { body: String(body) };
  const values = Object.entries(body as Record<string, unknown>); // a form has fields
  if (declared.type.startsWith("multipart/")) return { body: toFormData(values, declared.fields) };
  return { form: Object.fromEntries(values.map(([name, value]) => [name, toTexts(declared.fields[name], value)])) };
}

/** As a query or a form has it: an item of a list is a value of its own, and null cannot be sent. */
function toTexts(schema: JsonSchema = {}, value: unknown): string[] {
  if (allowsAnything(schema)) return [JSON.stringify(value)];
  const items = [value].flat().filter((item) => item !== null);
  return items.map((item) => (typeof item === "object" ? JSON.stringify(item) : String(item)));
}

function toFormData(values: readonly [string, unknown][], fields: DeclaredBody["fields"]): FormData {
  const form = new FormData();
  for (const [name, value] of values) {
    const schema = fields[name] ?? {};
    const file = [schema, (schema.items ?? {}) as JsonSchema].find(isFile); // one file or a list of them
    for (const text of toTexts(schema, value)) {
      if (file === undefined) form.append(name, text);
      else form.append(name, new Blob([text], { type: mediaTypeOf(file) }), "file");
    }
  }
  return form;
}

function isJson(type: string): boolean {
  return type.includes("json");
}

function findFault({ declared }: Operation, { isInvalid }: FuzzedRequest, status: number): string | undefined {
  const isCovered = declared.has("default") && status < 500; // a crash is never what a missing declaration means
  if (!declared.has(String(status)) && !isCovered) return `it has the status ${status}, which is not declared`;
  return isInvalid && status < 400 ? `it has the status ${status}, although the body is invalid` : undefined;
}

function describeFailure(operation: Operation, outcome: FastCheck.RunDetails<[FuzzedRequest]>): string {
  const { counterexample, errorInstance, seed } = outcome;
  const request = counterexample?.[0];
  const reason = errorInstance instanceof Error ? errorInstance.message : String(errorInstance);
  const parts = Object.entries(request ?? {}).flatMap(([name, value]) => {
    const isEmpty = value === undefined || name.startsWith("is") || JSON.stringify(value) === "{}";
    return isEmpty ? [] : [`\n  ${name}: ${JSON.stringify(value)}`];
  });
  return `${operation.id} (${operation.method} ${operation.path}): ${reason}${parts.join("")}\n  seed: ${seed}`;
}
