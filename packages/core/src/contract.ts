import type { JsonArray } from "./body/json-array.ts";
import type { Returned } from "./dto/returned.ts";
import type { InferOutput, Schema } from "./dto/standard-schema.ts";
import type { HttpError } from "./errors.ts";
import type { Reply } from "./reply.ts";

/** What an endpoint accepts, returns and rejects: declared once, on its handler. */
export interface Contract {
  /** One line, for the docs page and `--help`. */
  readonly summary?: string;
  /** Markdown. */
  readonly description?: string;
  /** Groups of the docs page. Defaults to the name of the module. */
  readonly tags?: readonly string[];
  readonly deprecated?: boolean;
  /** It needs no guard, such as a login: `tenon routes --audit` does not list it as an unguarded write. Defaults to false. */
  readonly public?: boolean;
  /** Parameters of the path, by name. */
  readonly params?: Schema;
  readonly query?: Schema;
  /** Request headers. Names are in lower case. */
  readonly headers?: Schema;
  /** JSON, which must be there; `form()`, `optional()` and `content()` declare other bodies. */
  readonly body?: Schema | Body;
  /** A schema for 200, or schemas by status. A single status other than 200 applies to plain values. */
  readonly returns?: Schema | Content | ReturnsByStatus;
  /** By status: a message, several, or the schema of a body of its own. `ctx.fail(404)` produces it. */
  readonly errors?: ErrorsByStatus;
  /** The messages of an event stream or a WebSocket. `events()` and `socket()` of @tenon/live set it. */
  readonly live?: LiveContract;
}

/** What is sent and received after the response has begun, by the names of the messages. */
export interface LiveContract {
  readonly kind: "events" | "socket";
  /** From the server to the client. */
  readonly sends: Readonly<Record<string, Schema>>;
  /** From the client to the server. */
  readonly receives?: Readonly<Record<string, Schema>>;
}

/** `null` declares a response without a body. */
export interface ReturnsByStatus {
  readonly [status: number]: Schema | Content | null;
}

export interface ErrorsByStatus {
  readonly [status: number]: string | readonly string[] | Schema;
}

/** What a middleware adds to every route that it guards: its property `contract`. */
export interface MiddlewareContract {
  /** Schemes by name, any of which authenticates the request: `{ bearer: { type: "http", scheme: "bearer" } }`. */
  readonly security?: Readonly<Record<string, SecurityScheme>>;
  /** Whether requests without credentials pass too. Defaults to false. */
  readonly optional?: boolean;
  readonly errors?: ErrorsByStatus;
  /** The methods that it concerns: `["POST", "PUT"]`. Defaults to all. */
  readonly methods?: readonly string[];
}

/** A Security Scheme Object of OpenAPI 3.1. */
export type SecurityScheme =
  | { readonly type: "http"; readonly scheme: string; readonly bearerFormat?: string; readonly description?: string }
  | {
      readonly type: "apiKey";
      readonly in: "header" | "query" | "cookie";
      readonly name: string;
      readonly description?: string;
    }
  | { readonly type: "openIdConnect"; readonly openIdConnectUrl: string; readonly description?: string };

/** A body that is not plain JSON, or that may be absent. */
export class Body<Value = unknown> {
  declare readonly output: Value;
  readonly kind: "json" | "form" | "content";
  /** Undefined for `content()`. */
  readonly schema: Schema | undefined;
  readonly required: boolean;
  /** The media types of `content()`. */
  readonly types: readonly string[];

  constructor(kind: Body["kind"], schema: Schema | undefined, required: boolean, types: readonly string[] = []) {
    this.kind = kind;
    this.schema = schema;
    this.required = required;
    this.types = types;
  }
}

/** Bytes of other media types, in a request or in a response. */
export class Content extends Body<Uint8Array> {
  constructor(types: readonly string[]) {
    super("content", undefined, true, types);
  }
}

/** A form, urlencoded or multipart; a field of `file()` takes an upload. */
export function form<S extends Schema>(schema: S): Body<InferOutput<S>> {
  return new Body("form", schema, true);
}

/** A body that may be absent: the handler then gets undefined. */
export function optional<S extends Schema>(body: S): Body<InferOutput<S> | undefined>;
export function optional<Value>(body: Body<Value>): Body<Value | undefined>;
export function optional(body: Schema | Body): Body {
  const { kind, schema, types } = toBody(body);
  return new Body(kind, schema, false, types);
}

/** Bytes, text or a stream of these media types: `content("text/csv")`, `content("image/png", "image/jpeg")`. */
export function content(type: string, ...types: readonly string[]): Content {
  return new Content([type, ...types]);
}

export function toBody(body: Schema | Body): Body {
  return body instanceof Body ? body : new Body("json", body, true);
}

/** The status that a plain value has; undefined when every value must name its own. */
export function plainStatusOf(returns: Contract["returns"]): number | undefined {
  const statuses = Object.keys(returnsByStatus(returns)).map(Number);
  return statuses.includes(200) ? 200 : statuses.length === 1 ? statuses[0] : undefined;
}

export function returnsByStatus(returns: Contract["returns"]): ReturnsByStatus {
  if (typeof returns !== "object" && typeof returns !== "function") return {}; // also null, which is reported at start
  if (returns === null) return {};
  return isSchema(returns) || returns instanceof Body ? { 200: returns as Schema | Content } : returns; // see contract-faults
}

/** What a route with such an input may respond without saying so: rejected input, a body that is too large or too slow. */
export function impliedErrors({ params, query, headers, body }: Contract, rejectedStatus = 400): ErrorsByStatus {
  const rejected: ErrorsByStatus =
    rejectedStatus === 400
      ? { 400: ["Invalid request", "Bad Request"] }
      : { 400: "Bad Request", [rejectedStatus]: "Invalid request" };
  if (body !== undefined) return { ...rejected, 413: "Payload Too Large" };
  return [params, query, headers].some((part) => part !== undefined) ? rejected : {};
}

export function isSchema(value: unknown): value is Schema {
  return (typeof value === "object" || typeof value === "function") && value !== null && "~standard" in value;
}

/** What a handler gets beside its context: the declared parts of the request, parsed. */
export type InputOf<C extends Contract> = {
  readonly [Part in keyof C & ("params" | "query" | "headers" | "body")]: PartOf<C[Part]>;
};
type PartOf<P> = P extends Body<infer Value> ? Value : P extends Schema ? InferOutput<P> : never;

/** What a handler may return. Without `returns` it is anything. */
export type ResultOf<C extends Contract> = C extends { readonly returns: infer R }
  ? PlainOf<ByStatus<R>> | RepliesOf<ByStatus<R>> | ErrorRepliesOf<C> | HttpError
  : unknown;

type ByStatus<R> = R extends Schema | Content ? { readonly 200: R } : R;
type PlainOf<M> =
  | (200 extends keyof M ? ValueFor<M[200]> : IsUnion<keyof M> extends true ? never : ValueFor<M[keyof M]>)
  | (null extends M[keyof M] ? Nothing : never);
type RepliesOf<M> = { [Status in keyof M & number]: Reply<Status, ValueFor<M[Status]>> }[keyof M & number];
type ErrorRepliesOf<C> = C extends { readonly errors: infer E }
  ? { [Status in keyof E & number]: E[Status] extends Schema ? Reply<Status, Returned<E[Status]>> : never }[keyof E &
      number]
  : never;
type ValueFor<D> = D extends Content
  ? string | Uint8Array | ArrayBuffer | AsyncIterable<unknown> | Response
  : D extends Schema
    ? Returned<D> | StreamOf<Returned<D>>
    : Nothing;
// biome-ignore lint/suspicious/noConfusingVoidType: the result of a handler that returns nothing
type Nothing = undefined | void;
type StreamOf<T> = T extends readonly (infer Item)[] ? JsonArray<Item> : never;
type IsUnion<T, Whole = T> = T extends unknown ? ([Whole] extends [T] ? false : true) : never;

/** The arguments of `ctx.fail()`: a declared status, and the message where several are declared. */
export type FailuresOf<C extends Contract> = C extends { readonly errors: infer E }
  ? { [Status in keyof E & number]: FailureOf<Status, E[Status]> }[keyof E & number]
  : [status: never];
type FailureOf<Status, Declared> = Declared extends string
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
