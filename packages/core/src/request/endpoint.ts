import { mediaTypeOf } from "@tenon/server/internal";
import { refuseType } from "../body/body-error.ts";
import type { Input } from "../body/input.ts";
import { toRecord } from "../body/query.ts";
import type { StreamedField, StreamedFile } from "../body/streamed-file.ts";
import { Dto, validate } from "../schema/dto.ts";
import { findStreamedField } from "../schema/file.ts";
import type { Schema } from "../schema/standard-schema.ts";
import { BindError, type InputPart, type Issue } from "../support/errors.ts";
import { type Context, type ContextState, type RequestContext, stateOf } from "./context.ts";
import { type Body, type Contract, plainStatusOf, returnsByStatus, toBody } from "./contract.ts";
import type { ErrorsOf, InputOf, ParamsOf, ResultOf, WrongEndpoint } from "./contract-types.ts";
import { isThenable, Reply, toDataReply } from "./reply.ts";

const declared = Symbol("tenon.contract");
const source = Symbol.for("tenon.handler");

/**
 * A handler with its contract. Binds the declared parts of the request before the handler runs; the declared fields of
 * what it returns are sent. Types, OpenAPI, docs page, typed client, flags and forms are made from the contract.
 */
export function endpoint<const C extends Contract, const Result = never, Param extends string = string>(
  // which reports the unknown key, or what is wrong with the result
  contract: [Result] extends [ResultOf<C>] ? (keyof C extends keyof Contract ? C : Contract) : WrongEndpoint<Result, C>,
  handler: (
    ctx: RequestContext<ParamsOf<C, Param>, ErrorsOf<C>>,
    input: InputOf<C>,
  ) => Result | Promise<Result> | PromiseLike<Result>,
): (ctx: Context<PathOf<ParamsOf<C, NoInfer<Param>>>>) => unknown {
  const declaration = contract as Contract; // what is wrong with it exists at compile time only
  const streamed = streamedFieldOf(declaration.body);
  const readers = compileReaders(declaration, streamed);
  const toReply = compileReply(declaration);
  const settle = (value: unknown) => (isThenable(value) ? value.then(toReply) : toReply(value));

  // the schemas were inferred from the contract that the readers were compiled from
  const call = (self: unknown, ctx: Context, input: BoundParts): unknown =>
    handler.call(self, ctx, input as InputOf<C>);
  const run = streamed === undefined ? call : failingWithUpload(call, streamed);

  function handleEndpoint(this: unknown, ctx: Context): unknown {
    const input = bindParts(stateOf(ctx), readers, 0, {}, []);
    if (!(input instanceof Promise)) return settle(run(this, ctx, input));
    return input.then((ready) => settle(run(this, ctx, ready)));
  }
  Object.defineProperty(handleEndpoint, "name", { value: handler.name });
  return Object.assign(handleEndpoint, { [declared]: declaration, [source]: sourceOf(handler) });
}

/** A path with these parameters, for the type of a context. */
export type PathOf<Param extends string> = string extends Param ? string : Param extends "" ? never : `:${Param}`;

export function contractOf(handler: object): Contract | undefined {
  return (handler as { readonly [declared]?: Contract })[declared]; // only endpoint() sets it
}

/** The function that the application has written: what `endpoint()` was given, or the handler itself. */
export function sourceOf(handler: object): object {
  return (handler as { readonly [source]?: object })[source] ?? handler; // only endpoint() and withSource() set it
}

/** A handler with another contract, which still binds what its own declares. */
export function declareContract(handler: (ctx: Context) => unknown, contract: Contract): (ctx: Context) => unknown {
  function handleDeclared(this: unknown, ctx: Context): unknown {
    return handler.call(this, ctx);
  }
  Object.defineProperty(handleDeclared, "name", { value: handler.name });
  return Object.assign(handleDeclared, { [declared]: contract, [source]: sourceOf(handler) });
}

/** For packages that wrap handlers: names and places of routes are those of the function that the application has written. */
export function withSource<H extends object>(wrapper: H, handler: object): H {
  return Object.assign(wrapper, { [source]: handler });
}

/** The declared parts of a request, parsed. */
type BoundParts = { [Part in InputPart]?: unknown };

type Reader = (state: ContextState) => unknown;
type PartReader = readonly [part: InputPart, read: Reader];

/** In the order in which they are read: the body comes last. */
function compileReaders(contract: Contract, streamed: StreamedField | undefined): readonly PartReader[] {
  const readers = (["params", "query", "headers"] as const).flatMap((part): PartReader[] => {
    const schema = contract[part];
    return schema === undefined ? [] : [[part, (state) => validateReady(schema, readPart(state, part))]];
  });
  const body = toBody(contract.body);
  return body === undefined ? readers : [...readers, ["body", compileBody(body, streamed)]];
}

/**
 * The one way in, at the end of the chain: after the guards. Parts that need no waiting are bound without a promise. The
 * body is read only where nothing else was wrong.
 */
function bindParts(
  state: ContextState,
  readers: readonly PartReader[],
  start: number,
  parts: BoundParts,
  issues: Issue[],
): BoundParts | Promise<BoundParts> {
  for (let index = start; index < readers.length; index++) {
    const [part, read] = readers[index] as PartReader; // checked by the loop
    if (part === "body" && issues.length > 0) break;
    try {
      const value = read(state);
      if (value instanceof Promise) {
        const keep = (ready: unknown): void => {
          parts[part] = ready;
        };
        return value
          .then(keep, (error: unknown) => keepIssues(error, part, issues))
          .then(() => bindParts(state, readers, index + 1, parts, issues));
      }
      parts[part] = value;
    } catch (error) {
      keepIssues(error, part, issues);
    }
  }
  if (issues.length > 0) throw new BindError(issues);
  return parts;
}

function keepIssues(error: unknown, part: InputPart, issues: Issue[]): void {
  if (!(error instanceof BindError)) throw error;
  for (const issue of error.issues) issues.push({ in: part, ...issue });
}

function readPart(state: ContextState, part: "params" | "query" | "headers"): Input | Promise<Input> {
  const { incoming, params, tools } = state;
  if (part === "params") return { value: params.toMap(), fromText: true };
  if (part === "headers") return { value: incoming.headers(), fromText: true };
  const { readQuery } = tools.readers;
  return readQuery?.(incoming, state.request) ?? { value: toRecord(state.queries), fromText: true, fromForm: true };
}

function compileBody({ kind, schema, types, required }: Body, streamed: StreamedField | undefined): Reader {
  const read: Reader = (state) => {
    if (schema === undefined) return readContent(state, types);
    return kind === "json" ? state.bind(schema) : validateReady(schema, readForm(state, streamed));
  };
  if (required) return read;
  return (state) => {
    const bytes = state.incoming.isCommand === true ? undefined : state.readBody();
    if (bytes instanceof Promise) return bytes.then(({ byteLength }) => (byteLength === 0 ? undefined : read(state)));
    return bytes?.byteLength === 0 ? undefined : read(state);
  };
}

function readContent(state: ContextState, types: readonly string[]): Uint8Array | Promise<Uint8Array> {
  const type = state.incoming.header("content-type") ?? "";
  const isKnown = state.incoming.isCommand === true || types.some((known) => mediaTypeOf(known) === mediaTypeOf(type));
  return isKnown ? state.readBody() : refuseType(type);
}

async function readForm(
  { incoming, request, tools }: ContextState,
  streamed: StreamedField | undefined,
): Promise<Input> {
  if (streamed !== undefined && incoming.isCommand !== true) {
    return { value: await request.streamForm(streamed), fromText: true, fromForm: true };
  }
  const { readForm: read } = tools.readers;
  return read?.(incoming, request) ?? { value: (await request.form()).toInput(), fromText: true, fromForm: true };
}

function validateReady(schema: Schema, input: Input | Promise<Input>): unknown {
  return input instanceof Promise ? input.then((ready) => validate(schema, ready)) : validate(schema, input);
}

/** The file that a form streams. */
function streamedFieldOf(declaredBody: Contract["body"]): StreamedField | undefined {
  const { kind, schema } = toBody(declaredBody) ?? {};
  return kind === "form" && schema instanceof Dto ? findStreamedField(schema.fields) : undefined;
}

type Call = (self: unknown, ctx: Context, input: BoundParts) => unknown;

/** A failed upload decides on the response: `fetch` and others wrap its error in one of their own. */
function failingWithUpload(call: Call, { name }: StreamedField): Call {
  return async (self, ctx, input) => {
    try {
      return await call(self, ctx, input);
    } catch (error) {
      const file = (input.body as Readonly<Record<string, StreamedFile | undefined>>)[name]; // by its schema
      throw file?.error ?? error;
    }
  };
}

/** The reply for what a handler returns. Errors are refused here and not at the exit: a transaction would be committed. */
function compileReply({ returns }: Contract): (value: unknown) => unknown {
  const plainStatus = plainStatusOf(returns) ?? 200;
  const byStatus = returnsByStatus(returns);
  const emptyStatus = byStatus[204] === null || byStatus[plainStatus] !== null ? 204 : plainStatus;

  return (value) => {
    if (returns === undefined && !(value instanceof Reply || value instanceof Error)) return value;
    const reply = value instanceof Reply ? value : toDataReply(value, value === undefined ? emptyStatus : plainStatus);
    reply.isDeclared = true;
    return reply;
  };
}
