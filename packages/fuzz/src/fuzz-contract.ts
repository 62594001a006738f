import { randomInt } from "node:crypto";
import type { TestHttpApp } from "@tenon/core/testing";
import fc from "fast-check";
import { Arbitraries } from "./arbitrary.ts";
import { type FuzzedRequest, isJson, send } from "./fuzzed-request.ts";
import { InvalidValues, without } from "./invalid-values.ts";
import {
  type DeclaredBody,
  type Document,
  type FuzzedOperation,
  type HeadersOf,
  type Operation,
  toOperations,
} from "./operation.ts";

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
  readonly headers?: HeadersOf;
  /**
   * Values of path parameters that exist, for about half of the requests: `{ id: [post.id] }`. A function is called for
   * each of these requests, and can create what the request may change or delete.
   */
  readonly params?:
    | Readonly<Record<string, readonly ParamValue[]>>
    | ((
        operation: FuzzedOperation,
      ) => Readonly<Record<string, ParamValue>> | Promise<Readonly<Record<string, ParamValue>>>);
  /**
   * Requests that are accepted, by the ids of their operations, where generated values never are:
   * `{ "auth.login": { body: { email, password } } }`. Each is sent once. What it leaves out is generated, or the
   * example in the contract.
   */
  readonly examples?: Readonly<Record<string, FuzzExample>>;
}

export type FuzzExample = Partial<Pick<FuzzedRequest, "params" | "query" | "headers" | "body">>;

type ParamValue = string | number;

export interface FuzzReport {
  readonly requests: number;
  /** By operation: how many responses had each status. */
  readonly statuses: Readonly<Record<string, Readonly<Record<number, number>>>>;
}

/**
 * Sends requests that are generated from the OpenAPI document, valid ones and invalid ones, and throws at the first
 * response that is not as declared: an undeclared status or body, an undeclared 5xx, an invalid body or parameter that is accepted.
 * The request is reduced to a small one first. Needs an application that checks contracts.
 */
export async function fuzzContract(app: TestHttpApp, options: FuzzOptions = {}): Promise<FuzzReport> {
  const { requests = 1000, seed = randomInt(2 ** 31) } = options;
  const document = (await app.openapi()) as unknown as Document; // plain JSON, read here as far as it is needed
  const schemas = document.components?.schemas ?? {};
  const arbitraries = new Arbitraries(schemas);
  const examples = new Arbitraries(schemas, true);
  const operations = toOperations(document, arbitraries).filter(
    // an event stream has no end, and a WebSocket needs a socket
    ({ id, live }) => live === undefined && (options.only?.includes(id) ?? true) && options.skip?.includes(id) !== true,
  );
  if (operations.length === 0) throw new Error("fuzzContract() found no operation to send requests to");

  const statuses: Record<string, Record<number, number>> = {};
  const unreached: string[] = [];
  let sent = 0;
  const runs = Math.max(1, Math.ceil(requests / operations.length));
  for (const operation of operations) {
    const counts: Record<number, number> = {};
    statuses[operation.id] = counts;
    const validCounts: Record<number, number> = {};
    const check = async (generated: fc.Arbitrary<FuzzedRequest>, numRuns: number) => {
      if (numRuns === 0) return;
      const property = fc.asyncProperty(generated, async (request) => {
        const params = await toParams(operation, request, options);
        try {
          const response = await send(app, operation, { ...request, params }, await options.headers?.(operation));
          counts[response.status] = (counts[response.status] ?? 0) + 1;
          sent++;
          if (request.invalid === undefined) validCounts[response.status] = (validCounts[response.status] ?? 0) + 1;
          await readBody(response);
          const problem = findProblem(operation, request, response.status);
          if (problem !== undefined) throw new Error(problem);
        } catch (error) {
          throw new FailedRequest(error, params);
        }
      });
      const outcome = await fc.check(property, { numRuns, seed });
      if (outcome.failed) throw new Error(describeOutcome(operation, outcome));
    };
    const valid = toRequests(arbitraries, operation, options);
    const given = options.examples?.[operation.id];
    const example = toRequests(examples, operation, options).map((request) => toExample(request, given));
    const changes = toChanges(new InvalidValues(arbitraries), arbitraries, operation);
    const invalidRuns = changes.length === 0 ? 0 : Math.floor((runs * 2) / 5);
    await check(example, 1);
    await check(valid, runs - invalidRuns - 1);
    for (const [index, numRuns] of share(invalidRuns, changes.length, seed)) {
      const change = changes[index] as Change; // inside the bounds
      const invalid = fc.tuple(valid, change).map(([request, apply]) => apply(request));
      await check(invalid, numRuns);
    }
    const reason = explainUnreached(operation, validCounts);
    if (reason !== undefined) unreached.push(reason);
  }
  if (unreached.length > 0) throw new Error(`fuzzContract(): ${unreached.join("\n")}`);
  return { requests: sent, statuses };
}

function toRequests(arbitraries: Arbitraries, operation: Operation, options: FuzzOptions): fc.Arbitrary<FuzzedRequest> {
  const parametersIn = (place: string) => {
    const found = operation.parameters.filter((parameter) => parameter.in === place);
    const model = found.map(({ name, schema }) => [name, arbitraries.valid(schema)] as const);
    const requiredKeys = found
      .filter(({ required, schema }) => required === true || arbitraries.hasExample(schema))
      .map(({ name }) => name);
    const required = model.filter(([name]) => requiredKeys.includes(name));
    if (arbitraries.isExample) return fc.record(Object.fromEntries(required));
    // half of them without optional ones, some of which (a cursor) no generated value can satisfy
    return fc.oneof(fc.record(Object.fromEntries(required)), fc.record(Object.fromEntries(model), { requiredKeys }));
  };
  const { body } = operation;
  const listed = typeof options.params === "function" ? {} : options.params;
  const known = Object.entries(listed ?? {}).map(([name, values]) => [name, fc.constantFrom(...values)] as const);
  const isKnown = arbitraries.isExample ? fc.constant(true) : fc.boolean();
  const place = fc.tuple(parametersIn("path"), fc.record(Object.fromEntries(known)), isKnown);
  const absent = body === undefined || body.required || arbitraries.isExample ? [] : [fc.constant(undefined)];
  return fc
    .record({
      place: place.map(([random, existing, isKnown]) => ({
        params: isKnown ? { ...random, ...existing } : random,
        isKnown,
      })),
      query: parametersIn("query"),
      headers: parametersIn("header"),
      body: body === undefined ? fc.constant(undefined) : fc.oneof(arbitraries.valid(body.schema), ...absent),
    })
    .map(({ place, ...request }) => ({ ...place, ...request, invalid: undefined }));
}

/** Values that the test gives win, those of path parameters over the option `params`. */
function toExample(request: FuzzedRequest, given: FuzzExample = {}): FuzzedRequest {
  return {
    ...request,
    ...given,
    params: { ...request.params, ...given.params },
    isKnown: request.isKnown && given.params === undefined,
  };
}

/** Spreads runs over changes, so that each is tried, or as many as there are runs: which ones, the seed decides. */
function share(runs: number, count: number, seed: number): Map<number, number> {
  const counts = new Map<number, number>();
  for (let run = 0; run < runs; run++) {
    const place = runs < count ? Math.floor((run * count) / runs) + Math.abs(seed) : run;
    counts.set(place % count, (counts.get(place % count) ?? 0) + 1);
  }
  return counts;
}

type Change = fc.Arbitrary<(request: FuzzedRequest) => FuzzedRequest>;

const parts = { path: "params", query: "query", header: "headers" } as const;

/** What makes a valid request an invalid one. */
function toChanges(values: InvalidValues, arbitraries: Arbitraries, { parameters, body }: Operation): Change[] {
  const inParameters = parameters.flatMap(({ name, in: place, required, schema }): Change[] => {
    if (!(place in parts)) return [];
    const part = parts[place as keyof typeof parts]; // checked above
    const change = (problem: string, given: Readonly<Record<string, unknown>>) => (request: FuzzedRequest) => ({
      ...request,
      [part]: { ...without(request[part], name), ...given },
      isKnown: request.isKnown && part !== "params",
      invalid: `the ${place} parameter "${name}" is ${problem}`,
    });
    const wrong = values.text(schema)?.map((value) => change("invalid", { [name]: value }));
    const missing = fc.constant(change("missing", {}));
    return [...(wrong === undefined ? [] : [wrong]), ...(required === true && place !== "path" ? [missing] : [])];
  });
  if (body === undefined) return inParameters;
  const isForm = body.type.includes("form");
  const wrong = isForm ? toInvalidForms(values, arbitraries, body) : isJson(body.type) ? values.json(body.schema) : [];
  const change = (problem: string, value: unknown) => (request: FuzzedRequest) => ({
    ...request,
    body: value,
    invalid: `the body is ${problem}`,
  });
  const inBody = wrong.map((one) => one.map((value) => change("invalid", value)));
  return [...inParameters, ...inBody, ...(body.required ? [fc.constant(change("missing", undefined))] : [])];
}

function toInvalidForms(
  values: InvalidValues,
  arbitraries: Arbitraries,
  { schema, fields }: DeclaredBody,
): fc.Arbitrary<unknown>[] {
  const whole = arbitraries.valid(schema) as fc.Arbitrary<Record<string, unknown>>; // a form has fields
  const required = (arbitraries.resolve(schema).required ?? []) as readonly string[]; // by JSON Schema
  const replaced = Object.entries(fields).flatMap(([name, field]) => {
    const wrong = values.text(field);
    return wrong === undefined ? [] : [fc.tuple(whole, wrong).map(([body, value]) => ({ ...body, [name]: value }))];
  });
  return [...replaced, ...required.map((name) => whole.map((body) => without(body, name)))];
}

/** The path parameters of a request: those that exist, where the option `params` is a function. */
async function toParams(
  operation: Operation,
  { params, isKnown }: FuzzedRequest,
  options: FuzzOptions,
): Promise<Readonly<Record<string, unknown>>> {
  if (!isKnown || typeof options.params !== "function") return params;
  const created = await options.params(operation);
  const known = operation.parameters.filter(({ name, in: place }) => place === "path" && name in created);
  return { ...params, ...Object.fromEntries(known.map(({ name }) => [name, created[name]])) };
}

/** The rows of a streamed list are compared while they are read. Other streams may have no end. */
async function readBody(response: Response): Promise<void> {
  if (isJson(response.headers.get("content-type") ?? "")) await response.arrayBuffer();
  else await response.body?.cancel();
}

/** A request that failed, with the path parameters that it had. */
class FailedRequest extends Error {
  readonly params: Readonly<Record<string, unknown>>;

  constructor(cause: unknown, params: Readonly<Record<string, unknown>>) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.params = params;
  }
}

const refused = [414, 431]; // the HTTP server refuses a long URL or header, which no document declares

function findProblem({ declared }: Operation, { invalid }: FuzzedRequest, status: number): string | undefined {
  if (refused.includes(status)) return undefined;
  const isCovered = declared.has("default") && status < 500; // a crash is never what a missing declaration means
  if (!declared.has(String(status)) && !isCovered) return `it has the status ${status}, which is not declared`;
  return invalid !== undefined && status < 400 ? `it has the status ${status}, although ${invalid}` : undefined;
}

function describeOutcome(operation: Operation, outcome: fc.RunDetails<[FuzzedRequest]>): string {
  const { counterexample, errorInstance, seed } = outcome;
  const [{ query, headers, body } = {}] = counterexample ?? [];
  const params = errorInstance instanceof FailedRequest ? errorInstance.params : {};
  const reason = errorInstance instanceof Error ? errorInstance.message : String(errorInstance);
  const parts = Object.entries({ params, query, headers, body }).flatMap(([name, value]) => {
    const isEmpty = value === undefined || JSON.stringify(value) === "{}";
    return isEmpty ? [] : [`\n  ${name}: ${JSON.stringify(value)}`];
  });
  return `${operation.id} (${operation.method} ${operation.path}): ${reason}${parts.join("")}\n  seed: ${seed}`;
}

const locked = new Set(["401", "403"]);
const enough = 5; // so many valid requests are not rejected by chance

/** Why no valid request has reached the work of the handler, if so: such a run shows nothing about it. */
function explainUnreached(
  { id, path, security }: Operation,
  counts: FuzzReport["statuses"][string],
): string | undefined {
  const seen = Object.keys(counts);
  const valid = Object.values(counts).reduce((sum, count) => sum + count, 0);
  if (valid === 0 || !seen.every((status) => status.startsWith("4"))) return undefined;
  if (security.length > 0 && seen.every((status) => locked.has(status))) {
    return `every request to ${id} was rejected with ${seen.join(" and ")}. Return credentials for ${security.join(", ")} from the option headers.`;
  }
  if (valid < enough) return undefined;
  const outcome = `every response was ${seen.join(" or ")}.`;
  const names = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name);
  if (names.length > 0 && seen.includes("404")) {
    const example = names.map((name) => `${name}: …`).join(", ");
    return `no request to ${id} found what its path names: ${outcome} Give values that exist in the option params; where requests change or delete them, a function that creates them: params: async () => ({ ${example} }). Or name it in the option skip.`;
  }
  return `no generated request to ${id} was accepted: ${outcome} Declare its rules so that the document shows them, give values that are accepted, with example() in the contract or the option examples, or name it in the option skip.`;
}
