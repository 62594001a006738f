import type { JsonArray } from "../body/json-array.ts";
import type { Returned } from "../schema/dto.ts";
import type { InferOutput, Schema } from "../schema/standard-schema.ts";
import type { ContentBody, Contract } from "./contract.ts";
import type { Reply } from "./reply.ts";

/** What a handler gets beside its context: the declared parts of the request, parsed. */
export type InputOf<C extends Contract> = C extends unknown // for messages of the compiler: they show the parts, not `C`
  ? { readonly [Part in keyof C & ("params" | "query" | "headers" | "body")]: PartOf<C[Part]> }
  : never;
type PartOf<P> = P extends Schema
  ? InferOutput<P>
  : P extends { readonly optional: infer Inner }
    ? PartOf<Inner> | undefined
    : P extends { readonly form: infer S }
      ? PartOf<S>
      : Uint8Array;

/** What a handler may return. Without `returns` it is anything. */
export type ResultOf<C extends Contract> = C extends { readonly returns: infer R }
  ? PlainOf<ByStatus<R>> | RepliesOf<ByStatus<R>> | ErrorRepliesOf<C>
  : unknown;

/** What TypeScript shows at the path of a route whose handler returns something else than `returns` declares. */
export type WrongResult<Result, C extends Contract> = ProblemOf<
  Exclude<Result, ResultOf<C>>,
  C extends { readonly returns: infer R } ? ItemOf<Exclude<PlainOf<ByStatus<R>>, AsyncIterable<unknown>>> : never
>;
/** What TypeScript shows at the handler of `endpoint()`: an object, because messages about a text would show the whole contract. */
export type WrongEndpoint<Result, C extends Contract> =
  WrongResult<Result, C> extends infer Problem ? (Problem extends string ? Wrong<Problem> : Problem) : never;
interface Wrong<Problem> {
  readonly problem: Problem;
}
type ProblemOf<Wrong, Declared> = [Wrong] extends [Nothing | null]
  ? "The handler may return nothing: add a `return`, such as `return ctx.fail(404)`"
  : Wrong extends Reply<infer Status, unknown>
    ? `\`returns\` does not declare this body for the status ${Status}`
    : Wrong extends Error
      ? "The handler returns an error: throw it"
      : Wrong extends AsyncIterable<unknown>
        ? "`returns` declares no stream: jsonArray(rows) makes one of an array()"
        : [WrongFields<ItemOf<Wrong>, Declared>] extends [never]
          ? "The handler returns another type than `returns` declares"
          : WrongFieldsInResult<WrongFields<ItemOf<Wrong>, Declared>>;
type WrongFields<Wrong, Declared> = Declared extends object
  ? { [K in keyof Declared]-?: Wrong extends Pick<Declared, K> ? never : K }[keyof Declared]
  : never;
interface WrongFieldsInResult<Names> {
  readonly names: Names;
}
type ItemOf<T> = T extends readonly (infer Item)[] ? Item : T;

type ByStatus<R> = R extends Schema | ContentBody ? { readonly 200: R } : R;
type PlainOf<M> =
  | (200 extends keyof M ? ValueFor<M[200]> : IsUnion<keyof M> extends true ? never : ValueFor<M[keyof M]>)
  | (null extends M[keyof M] ? Nothing : never);
type RepliesOf<M> = { [Status in keyof M & number]: Reply<Status, ValueFor<M[Status]>> }[keyof M & number];
type ErrorRepliesOf<C> = C extends { readonly errors: infer E }
  ? { [Status in keyof E & number]: E[Status] extends Schema ? Reply<Status, Returned<E[Status]>> : never }[keyof E &
      number]
  : never;
type ValueFor<D> = D extends ContentBody
  ? string | Uint8Array | ArrayBuffer | AsyncIterable<unknown> | Response
  : D extends Schema
    ? Returned<D> | StreamOf<Returned<D>>
    : Nothing;
// biome-ignore lint/suspicious/noConfusingVoidType: the result of a handler that returns nothing
type Nothing = undefined | void;
type StreamOf<T> = T extends readonly (infer Item)[] ? JsonArray<Item> : never;
type IsUnion<T, Whole = T> = T extends unknown ? ([Whole] extends [T] ? false : true) : never;

/** The arguments of `ctx.fail()`: a declared status, and the message where several are declared. */
export type ErrorsOf<C extends Contract> = C extends { readonly errors: infer E }
  ? keyof E extends never
    ? UndeclaredError
    : { [Status in keyof E & number]: ErrorOf<Status, E[Status]> }[keyof E & number]
  : UndeclaredError;
/** What TypeScript shows where a status is passed. */
type UndeclaredError = [status: "The contract declares no `errors`"];
type ErrorOf<Status, Declared> = Declared extends string
  ? [status: Status, message?: Declared]
  : Declared extends readonly string[]
    ? [status: Status, message: Declared[number]]
    : Declared extends Schema
      ? [status: Status, body: Returned<Declared>]
      : never;

/** The names that `params` declares; any name without one. */
export type ParamsOf<C extends Contract, Annotated extends string> = C extends { readonly params: infer S }
  ? S extends Schema
    ? `${Extract<keyof InferOutput<S>, string>}` | ""
    : Annotated
  : Annotated;
