import { refuseType } from "./body/body-reader.ts";
import { mediaTypeOf } from "./body/grammar.ts";
import type { Input as PartInput } from "./body/input.ts";
import { isJson, toJson } from "./body/json.ts";
import { JsonArray } from "./body/json-array.ts";
import { toQueryRecord } from "./body/query.ts";
import type { StreamedFile } from "./body/streamed-file.ts";
import type { StreamedField } from "./body/streamed-form.ts";
import { type Context, type ContextState, type RequestContext, stateOf } from "./context.ts";
import {
  type Body,
  type ContentBody,
  type Contract,
  type FailuresOf,
  type InputOf,
  isContent,
  isSchema,
  type ParamsOf,
  plainStatusOf,
  type ResultOf,
  returnsByStatus,
  toBody,
  type WrongEndpoint,
} from "./contract.ts";
import { validate } from "./dto/bind.ts";
import { Dto } from "./dto/dto.ts";
import { findStreamedField } from "./dto/file.ts";
import { atRow, compileSelect, compileSentSelect, ReturnedMismatch } from "./dto/select.ts";
import type { Schema } from "./dto/standard-schema.ts";
import { BindError, HttpError, type InputPart, type Issue } from "./errors.ts";
import {
  hopByHopHeaders,
  isResponse,
  isThenable,
  notData,
  type Outgoing,
  Reply,
  statusOf,
  toDataReply,
} from "./reply.ts";

const declared = Symbol("tenon.contract");
const written = Symbol("tenon.handler");

/**
 * A handler with its contract. Binds the declared parts of the request before the handler runs, and sends the declared
 * fields of what it returns. Types, OpenAPI, docs page, typed client, flags and forms are made from the contract.
 */
export function endpoint<const C extends Contract, const Result = never, Param extends string = string>(
  // which reports the unknown key, or what is wrong with the result
  contract: [Result] extends [ResultOf<C>] ? (keyof C extends keyof Contract ? C : Contract) : WrongEndpoint<Result, C>,
  handler: (
    ctx: RequestContext<ParamsOf<C, Param>, FailuresOf<C>>,
    input: InputOf<C>,
  ) => Result | Promise<Result> | PromiseLike<Result>,
): (ctx: Context<PathOf<ParamsOf<C, NoInfer<Param>>>>) => unknown {
  if (typeof contract !== "object" || contract === null || typeof handler !== "function") {
    throw new TypeError("endpoint() takes a contract and a handler: endpoint({ returns: Post }, (ctx) => …)");
  }
  const declaration = contract as Contract; // what is wrong with it exists at compile time only
  const read = compileInput(declaration);
  const toDeclared = compileResult(declaration);
  const settle = (ctx: Context, value: unknown) =>
    isThenable(value) ? value.then((ready) => toDeclared(ctx, ready)) : toDeclared(ctx, value);

  // the schemas were inferred from the contract that `read` was compiled from
  const call = (self: unknown, ctx: Context, input: Input): unknown => handler.call(self, ctx, input as InputOf<C>);
  const streamed = streamedFieldOf(contract);
  const run = streamed === undefined ? call : failingWithUpload(call, streamed);

  function handleEndpoint(this: unknown, ctx: Context): unknown {
    const input = read(ctx);
    if (!(input instanceof Promise)) return settle(ctx, run(this, ctx, input));
    return input.then((ready) => settle(ctx, run(this, ctx, ready)));
  }
  Object.defineProperty(handleEndpoint, "name", { value: handler.name });
  return Object.assign(handleEndpoint, { [declared]: declaration, [written]: writtenHandlerOf(handler) });
}

/** A path with these parameters, for the type of a context. */
export type PathOf<Param extends string> = string extends Param ? string : Param extends "" ? never : `:${Param}`;

export function contractOf(handler: object): Contract | undefined {
  return (handler as { readonly [declared]?: Contract })[declared]; // only endpoint() sets it
}

/** The function that the application has written: what `endpoint()` was given, or the handler itself. */
export function writtenHandlerOf(handler: object): object {
  return (handler as { readonly [written]?: object })[written] ?? handler; // only endpoint() sets it
}

/** The same handler with another contract, which documents it: what it binds and sends stays. */
export function declareContract(handler: (ctx: Context) => unknown, contract: Contract): (ctx: Context) => unknown {
  function handleDeclared(this: unknown, ctx: Context): unknown {
    return handler.call(this, ctx);
  }
  Object.defineProperty(handleDeclared, "name", { value: handler.name });
  return Object.assign(handleDeclared, { [declared]: contract, [written]: writtenHandlerOf(handler) });
}

/** For packages that wrap handlers: names and places of routes are those of the function that the application has written. */
export function asWrittenBy<H extends object>(wrapper: H, handler: object): H {
  return Object.assign(wrapper, { [written]: handler });
}

type Input = Record<string, unknown>;

/** One part of the input: where it is, and how it is read. */
interface Part {
  readonly name: InputPart;
  readonly read: (ctx: Context) => unknown;
}

/** Parts that need no waiting are read without a promise; the issues of all but the body are reported together. */
function compileInput(contract: Contract): (ctx: Context) => Input | Promise<Input> {
  const parts: Part[] = [];
  for (const name of ["params", "query", "headers"] as const) {
    const schema = contract[name];
    if (schema !== undefined) parts.push({ name, read: (ctx) => bindPart(ctx, name, schema) });
  }
  const body = toBody(contract.body);
  const streamed = streamedFieldOf(contract);
  if (body !== undefined) parts.push({ name: "body", read: (ctx) => readBody(ctx, body, streamed) });

  const readFrom = (ctx: Context, input: Input, start: number, issues: Issue[]): Input | Promise<Input> => {
    for (let index = start; index < parts.length; index++) {
      const { name, read } = parts[index] as Part; // inside the bounds
      if (name === "body" && issues.length > 0) break;
      try {
        const value = read(ctx);
        if (value instanceof Promise) {
          return value.then(
            (ready) => {
              input[name] = ready;
              return readFrom(ctx, input, index + 1, issues);
            },
            (error: unknown) => readFrom(ctx, input, index + 1, addIssues(issues, name, error)),
          );
        }
        input[name] = value;
      } catch (error) {
        addIssues(issues, name, error);
      }
    }
    if (issues.length > 0) throw new BindError(issues);
    return input;
  };
  return (ctx) => readFrom(ctx, {}, 0, []);
}

function addIssues(issues: Issue[], part: InputPart, error: unknown): Issue[] {
  if (!(error instanceof BindError)) throw error;
  for (const issue of error.issues) issues.push({ in: part, ...issue });
  return issues;
}

function bindPart(ctx: Context, part: "params" | "query" | "headers", schema: Schema): unknown {
  const input = readPart(stateOf(ctx), part);
  return input instanceof Promise ? input.then((ready) => validate(schema, ready)) : validate(schema, input);
}

function readPart(state: ContextState, part: "params" | "query" | "headers"): PartInput | Promise<PartInput> {
  const { incoming, params, tools } = state;
  if (part === "params") return { value: params.toMap(), fromText: true };
  if (part === "headers") return { value: incoming.headers(), fromText: true };
  if (tools.readQuery !== undefined) return tools.readQuery(incoming, state.request);
  return { value: toQueryRecord(state.queries), fromText: true, fromForm: true };
}

async function readBody(ctx: Context, body: Body, streamed: StreamedField | undefined): Promise<unknown> {
  const { kind, schema, required, types } = body;
  const { incoming, request, tools } = stateOf(ctx);
  const isCommand = incoming.method === ""; // it has flags, and no media type
  if (!required && !isCommand && (await request.body()).byteLength === 0) return undefined;
  if (schema === undefined) {
    const type = ctx.header("content-type");
    const isKnown = isCommand || types.some((known) => mediaTypeOf(known) === mediaTypeOf(type));
    return isKnown ? request.body() : refuseType(type);
  }
  if (streamed !== undefined && !isCommand) {
    return validate(schema, { value: await request.streamForm(streamed), fromText: true, fromForm: true });
  }
  const read = kind === "form" ? tools.readForm : tools.readInput;
  return validate(schema, await read(incoming, request));
}

function streamedFieldOf(contract: Contract): StreamedField | undefined {
  const { kind, schema } = toBody(contract.body) ?? {};
  return kind === "form" && schema instanceof Dto ? findStreamedField(schema.fields) : undefined;
}

type Call = (self: unknown, ctx: Context, input: Input) => unknown;

/** The upload decides on the response where it fails: `fetch` and others wrap its error in one of their own. */
function failingWithUpload(call: Call, { name }: StreamedField): Call {
  return async (self, ctx, input) => {
    try {
      return await call(self, ctx, input);
    } catch (error) {
      const file = (input.body as Readonly<Record<string, StreamedFile | undefined>>)[name]; // by its schema
      throw file?.failure ?? error;
    }
  };
}

type Select = (value: unknown) => unknown;

/** Sends the declared fields only: an undeclared `password` never leaves. */
function compileResult(contract: Contract): (ctx: Context, value: unknown) => unknown {
  const { returns, errors = {} } = contract;
  const plainStatus = plainStatusOf(returns) ?? 200;
  const selects = new Map<number, Select>();
  const contents = new Map<number, ContentBody>();
  const empty = new Set<number>();
  for (const [status, schema] of Object.entries({ ...returnsByStatus(returns), ...errors })) {
    if (isSchema(schema)) selects.set(Number(status), compileSelect(schema));
    else if (isContent(schema)) contents.set(Number(status), schema);
    else if (schema === null) empty.add(Number(status));
  }

  const emptyStatus = empty.has(204) || !empty.has(plainStatus) ? 204 : plainStatus;

  return (ctx, value) => {
    if (value instanceof HttpError) throw value;
    if (returns === undefined && !(value instanceof Reply)) return value;
    const reply = value instanceof Reply ? value : toDataReply(value, value === undefined ? emptyStatus : plainStatus);
    if (empty.has(reply.status) && reply.kind !== "empty") return new Reply(reply.status, "empty", undefined);
    const content = contents.get(reply.status);
    if (content !== undefined) return toContentReply(ctx, reply, content);
    const status = statusOf(reply);
    const select = selects.get(status);
    if (select === undefined || reply.kind === "empty") return reply;
    if (reply.kind === "json") {
      const selected = select(reply.value);
      return selected instanceof Promise
        ? selected.then((ready) => toSelected(reply, ready))
        : toSelected(reply, selected);
    }
    if (reply.value instanceof JsonArray) {
      reply.value.select((row, index) => selectRow(select, row, index));
      return reply;
    }
    return selectResponse(select, reply, status);
  };
}

function toSelected(reply: Reply, selected: unknown): Reply {
  const sent = selected === reply.value ? reply : reply.withValue(selected);
  sent.returned = reply.value;
  sent.isSelected = true;
  return sent;
}

/** Sends the declared fields only of data that a middleware has returned instead of the result of `next()`. */
export function selectReplaced(contract: Contract, reply: Reply): Reply {
  if (contract.returns === undefined && contract.errors === undefined) return reply;
  if (reply.isSelected || reply.kind !== "json" || reply.status >= 400) return reply;
  const declared = sentSelectFor(contract, reply.status);
  return declared === undefined ? reply : toSelected(reply, declared.select(reply.value));
}

function selectRow(select: Select, row: unknown, index: number): unknown {
  try {
    const selected = select([row]);
    return selected instanceof Promise ? selected.catch((error) => failRow(error, index)).then(rowOf) : rowOf(selected);
  } catch (error) {
    return failRow(error, index);
  }
}

function rowOf(list: unknown): unknown {
  return (list as unknown[])[0]; // lists give lists
}

function failRow(error: unknown, index: number): never {
  if (!(error instanceof ReturnedMismatch)) throw error;
  throw new ReturnedMismatch(error.issues.map((issue) => atRow(issue, index)));
}

/** The declared fields of a `Response` with JSON. Throws for texts, bytes and streams, from which none can be taken. */
async function selectResponse(select: Select, reply: Reply, status: number): Promise<Reply> {
  const { value } = reply;
  const data = typeof value === "object" && value !== null && isResponse(value) ? await readJson(value) : undefined;
  if (data === undefined) throw new ReturnedMismatch([{ path: "", rule: "data", message: notData(reply) }], status);
  const { headers } = value as Response; // only a Response has data
  const kept = new Headers([...headers].filter(([name]) => !hopByHopHeaders.has(name)));
  const sent = reply.withValue(new Response(toJson(await select(data)), { status, headers: kept }));
  sent.returned = data;
  return sent;
}

async function readJson(response: Response): Promise<unknown> {
  const type = response.headers.get("content-type") ?? "";
  return type !== "" && isJson(type) ? response.json().catch(() => undefined) : undefined;
}

/** A body that a hook of `onReply()` has put into a response, and the schema that is declared for it. */
export interface ChangedBody {
  readonly schema: Schema;
  readonly value: unknown;
  readonly selected: unknown;
}

/** Compiled once for each schema. Nothing is kept for longer than the schema itself. */
const sentSelects = new WeakMap<Schema, Select>();

/** Undefined where no schema is declared for the status. */
function sentSelectFor(contract: Contract | undefined, status: number) {
  const schema: unknown = contract?.errors?.[status] ?? returnsByStatus(contract?.returns)[status];
  if (!isSchema(schema)) return undefined;
  const select = sentSelects.get(schema) ?? compileSentSelect(schema);
  sentSelects.set(schema, select);
  return { schema, select };
}

/** Undefined where no schema is declared, or where the body is encoded: it has been compressed. */
export function readChanged(
  contract: Contract | undefined,
  { status, body, headers }: Outgoing,
): ChangedBody | undefined {
  const declared = sentSelectFor(contract, status);
  if (declared === undefined || body === null || headers.has("content-encoding")) return undefined;
  const value = parseChanged(body, status);
  return { schema: declared.schema, value, selected: declared.select(value) };
}

function parseChanged(body: NonNullable<Outgoing["body"]>, status: number): unknown {
  try {
    if (typeof body === "string" || body instanceof Uint8Array) return JSON.parse(String(Buffer.from(body as string))); // or bytes
  } catch {
    // reported below, without the text
  }
  const message = "must be JSON, which a hook of onReply() has replaced";
  throw new ReturnedMismatch([{ path: "", rule: "data", message }], status);
}

/** Sends the declared fields only of what a hook of `onReply()` has put into a response. */
export function selectChanged(contract: Contract | undefined, outgoing: Outgoing): void {
  const changed = readChanged(contract, outgoing);
  if (changed !== undefined) outgoing.body = toJson(changed.selected);
}

/** Sets the declared type. Of several types the handler sets one; else it is the first. */
function toContentReply(ctx: Context, reply: Reply, { content }: ContentBody): Reply {
  const [type = ""] = [content].flat();
  const isText = typeof reply.value === "string";
  const charset = isText && type.startsWith("text/") && !type.includes(";") ? "; charset=utf-8" : "";
  if (ctx.response().header("content-type") === "") ctx.response().setHeader("content-type", `${type}${charset}`);
  return isText ? new Reply(reply.status, "text", reply.value) : reply;
}
