import type { StreamedField, StreamedFile } from "../body/streamed-file.ts";
import { type BoundParts, compileInput, streamedFieldOf } from "./bind.ts";
import { type Context, type RequestContext, stateOf } from "./context.ts";
import { type Contract, plainStatusOf, returnsByStatus } from "./contract.ts";
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
  const read = compileInput(declaration);
  const toReply = compileReply(declaration);
  const settle = (value: unknown) => (isThenable(value) ? value.then(toReply) : toReply(value));

  // the schemas were inferred from the contract that `read` was compiled from
  const call = (self: unknown, ctx: Context, input: BoundParts): unknown =>
    handler.call(self, ctx, input as InputOf<C>);
  const streamed = streamedFieldOf(declaration);
  const run = streamed === undefined ? call : failingWithUpload(call, streamed);

  function handleEndpoint(this: unknown, ctx: Context): unknown {
    const input = read(stateOf(ctx));
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

/** The same handler with another contract: what it binds stays. */
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

type Call = (self: unknown, ctx: Context, input: BoundParts) => unknown;

/** The upload decides on the response where it fails: `fetch` and others wrap its error in one of their own. */
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
