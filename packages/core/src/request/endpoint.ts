import { refuseType } from "../body/body-reader.ts";
import { mediaTypeOf } from "../body/grammar.ts";
import type { Input as PartInput } from "../body/input.ts";
import { toQueryRecord } from "../body/query.ts";
import type { StreamedFile } from "../body/streamed-file.ts";
import type { StreamedField } from "../body/streamed-form.ts";
import { validate } from "../schema/bind.ts";
import { Dto } from "../schema/dto.ts";
import { findStreamedField } from "../schema/file.ts";
import type { Schema } from "../schema/standard-schema.ts";
import { BindError, type InputPart, type Issue } from "../support/errors.ts";
import { type Context, type ContextState, type RequestContext, stateOf } from "./context.ts";
import {
  type Body,
  type Contract,
  type FailuresOf,
  type InputOf,
  type ParamsOf,
  plainStatusOf,
  type ResultOf,
  returnsByStatus,
  toBody,
  type WrongEndpoint,
} from "./contract.ts";
import { isThenable, Reply, toDataReply } from "./reply.ts";

const declared = Symbol("tenon.contract");
const written = Symbol.for("tenon.handler");

/**
 * A handler with its contract. Binds the declared parts of the request before the handler runs; the declared fields of
 * what it returns are sent. Types, OpenAPI, docs page, typed client, flags and forms are made from the contract.
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
  const toReply = compileReply(declaration);
  const settle = (value: unknown) => (isThenable(value) ? value.then(toReply) : toReply(value));

  // the schemas were inferred from the contract that `read` was compiled from
  const call = (self: unknown, ctx: Context, input: Input): unknown => handler.call(self, ctx, input as InputOf<C>);
  const streamed = streamedFieldOf(contract);
  const run = streamed === undefined ? call : failingWithUpload(call, streamed);

  function handleEndpoint(this: unknown, ctx: Context): unknown {
    const input = read(ctx);
    if (!(input instanceof Promise)) return settle(run(this, ctx, input));
    return input.then((ready) => settle(run(this, ctx, ready)));
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

/** The same handler with another contract: what it binds stays. */
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
  const isCommand = incoming.isCommand === true;
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
