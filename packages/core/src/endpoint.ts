import { JsonArray } from "./body/json-array.ts";
import { type Context, RequestContext } from "./context.ts";
import {
  type Body,
  Content,
  type Contract,
  type FailuresOf,
  type InputOf,
  isSchema,
  type ParamsOf,
  plainStatusOf,
  type ResultOf,
  returnsByStatus,
  toBody,
} from "./contract.ts";
import { validate } from "./dto/bind.ts";
import { compileSelect } from "./dto/select.ts";
import type { Schema } from "./dto/standard-schema.ts";
import { BindError, HttpError, type InputPart, type Issue } from "./errors.ts";
import type { Handler } from "./record.ts";
import { isThenable, Reply, toDataReply } from "./reply.ts";

const declared = Symbol("tenon.contract");
const written = Symbol("tenon.handler");

/**
 * A handler with its contract. Binds the declared parts of the request before the handler runs, and sends the declared
 * fields of what it returns. Types, OpenAPI, docs page, typed client, flags and forms are made from the contract.
 */
export function endpoint<const C extends Contract, const Result extends ResultOf<C>, Param extends string = string>(
  contract: C,
  handler: (
    ctx: RequestContext<ParamsOf<C, Param>, FailuresOf<C>>,
    input: InputOf<C>,
  ) => Result | Promise<Result> | PromiseLike<Result>,
): (ctx: Context<PathOf<ParamsOf<C, NoInfer<Param>>>>) => unknown {
  if (typeof contract !== "object" || contract === null || typeof handler !== "function") {
    throw new TypeError("endpoint() takes a contract and a handler: endpoint({ returns: Post }, (ctx) => …)");
  }
  const read = compileInput(contract);
  const toDeclared = compileResult(contract);
  const settle = (ctx: Context, value: unknown) =>
    isThenable(value) ? value.then((ready) => toDeclared(ctx, ready)) : toDeclared(ctx, value);

  function handleEndpoint(this: unknown, ctx: Context): unknown {
    const input = read(ctx);
    // the schemas were inferred from the contract that `read` was compiled from
    if (!(input instanceof Promise)) return settle(ctx, handler.call(this, ctx, input as InputOf<C>));
    return input.then((ready) => settle(ctx, handler.call(this, ctx, ready as InputOf<C>)));
  }
  Object.defineProperty(handleEndpoint, "name", { value: handler.name });
  return Object.assign(handleEndpoint, { [declared]: contract, [written]: writtenHandlerOf(handler) });
}

/** A path with these parameters, for the type of a context. */
export type PathOf<Param extends string> = string extends Param ? string : Param extends "" ? never : `:${Param}`;

export function contractOf(handler: Handler): Contract | undefined {
  return (handler as { readonly [declared]?: Contract })[declared]; // only endpoint() sets it
}

/** The function that the application has written: what `endpoint()` was given, or the handler itself. */
export function writtenHandlerOf(handler: object): object {
  return (handler as { readonly [written]?: object })[written] ?? handler; // only endpoint() sets it
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
  if (contract.body !== undefined) {
    const body = toBody(contract.body);
    parts.push({ name: "body", read: (ctx) => readBody(ctx, body) });
  }

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
  const input = RequestContext.readPart(ctx, part);
  return input instanceof Promise ? input.then((ready) => validate(schema, ready)) : validate(schema, input);
}

async function readBody(ctx: Context, { kind, schema, required, types }: Body): Promise<unknown> {
  if (!required && (await RequestContext.hasNoBody(ctx))) return undefined;
  if (schema === undefined) return RequestContext.readContent(ctx, types);
  return validate(schema, await RequestContext.readBody(ctx, kind === "form"));
}

type Select = (value: unknown) => unknown;

/** Sends the declared fields only: an undeclared `password` never leaves. */
function compileResult({ returns, errors = {} }: Contract): (ctx: Context, value: unknown) => unknown {
  const plainStatus = plainStatusOf(returns) ?? 200;
  const selects = new Map<number, Select>();
  const contents = new Map<number, Content>();
  const empty = new Set<number>();
  for (const [status, schema] of Object.entries({ ...returnsByStatus(returns), ...errors })) {
    if (isSchema(schema)) selects.set(Number(status), compileSelect(schema));
    else if (schema instanceof Content) contents.set(Number(status), schema);
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
    const select = selects.get(reply.status);
    if (select === undefined) return reply;
    if (reply.value instanceof JsonArray) reply.value.select((row) => (select([row]) as unknown[])[0]); // lists give lists
    if (reply.kind !== "json") return reply;
    const selected = select(reply.value);
    return selected instanceof Promise ? selected.then((ready) => reply.withValue(ready)) : reply.withValue(selected);
  };
}

/** Sets the declared type. Of several types the handler sets one; else it is the first. */
function toContentReply(ctx: Context, reply: Reply, { types: [type = ""] }: Content): Reply {
  const isText = typeof reply.value === "string";
  const charset = isText && type.startsWith("text/") && !type.includes(";") ? "; charset=utf-8" : "";
  if (ctx.response().header("content-type") === "") ctx.response().setHeader("content-type", `${type}${charset}`);
  return isText ? new Reply(reply.status, "text", reply.value) : reply;
}
