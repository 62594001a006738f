import type { Field } from "../schema/field.ts";
import type { Schema } from "../schema/standard-schema.ts";
import { DeclaredError, HttpError } from "../support/errors.ts";
import type { ErrorFormat } from "./error-format.ts";

/** What an endpoint accepts, returns and rejects: declared once, on its handler. */
export interface Contract {
  /** One line, for the docs page and `--help`. */
  readonly summary?: string;
  /** Markdown. */
  readonly description?: string;
  /** Its name in the OpenAPI document and the typed client. Defaults to controller and field: `posts.show`. */
  readonly operationId?: string;
  /** Groups of the docs page. Defaults to the name of the module. */
  readonly tags?: readonly string[];
  readonly deprecated?: boolean;
  /**
   * What no guard and no policy shows, so that `tenon routes --audit` knows that it is meant. "public": it needs no
   * login, and everyone may use it with any id. "users": it needs one, and all who pass its guards may use it with any id.
   */
  readonly access?: "public" | "users";
  /** Leaves the route out of the OpenAPI document, the docs page and the typed client. Defaults to false. */
  readonly hidden?: boolean;
  /** Parameters of the path, by name. */
  readonly params?: Schema;
  readonly query?: Schema;
  /** Request headers. Names are in lower case. */
  readonly headers?: Schema;
  /** JSON, which must be there, or `{ form: Dto }`, `{ optional: Dto }`, `{ content: "text/csv" }`. */
  readonly body?: Schema | FormBody | ContentBody | OptionalBody;
  /** A schema for 200, or schemas by status. A single status other than 200 applies to plain values. */
  readonly returns?: Schema | ContentBody | ReturnsByStatus;
  /** By status: a message, several, or the schema of a body of its own. `ctx.fail(404)` throws it. */
  readonly errors?: ErrorsByStatus;
  /** What a successful response carries beside its body. */
  readonly responds?: RespondedContract;
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

export interface RespondedContract {
  /** By name, in lower case: what it says, or a field. One with a field that is `required` is always sent. */
  readonly headers?: Readonly<Record<string, string | Field>>;
  /** By name: what it holds. */
  readonly cookies?: Readonly<Record<string, string>>;
}

/** `null` declares a response without a body. */
export interface ReturnsByStatus {
  readonly [status: number]: Schema | ContentBody | null;
}

export interface ErrorsByStatus {
  readonly [status: number]: string | readonly string[] | Schema;
}

/** What a middleware adds to every route that has it: its property `contract`. */
export interface MiddlewareContract<Value extends string = string> {
  /** The values that it sets on the context of every request that it lets pass: `["user_id"]`. */
  readonly sets?: readonly Value[];
  /** Schemes by name, any of which authenticates the request: `{ bearer: { type: "http", scheme: "bearer" } }`. */
  readonly security?: Readonly<Record<string, SecurityScheme>>;
  /** Whether requests without credentials pass too. Defaults to false. */
  readonly optional?: boolean;
  /** The rule of a policy, in words: `"post owner"`. The document, `tenon routes` and its audit name it. */
  readonly policy?: string;
  /** The parameters of the path about which it decides, for the audit; "path" for all of them. Defaults to none. */
  readonly covers?: readonly string[] | "path";
  readonly errors?: ErrorsByStatus;
  /** The request headers that it reads, by name, in lower case: what each says. For documents and clients. */
  readonly headers?: Readonly<Record<string, string>>;
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

/** A body of other media types, in a request or in a response: bytes, text or a stream. */
export interface ContentBody {
  /** A media type, or several: `"text/csv"`, `["image/png", "image/jpeg"]`. */
  readonly content: string | readonly string[];
}

/** A form, urlencoded or multipart; a field of `file()` takes an upload. */
export interface FormBody {
  readonly form: Schema;
}

/** A body that may be absent: the handler then gets undefined. */
export interface OptionalBody {
  readonly optional: Schema | FormBody | ContentBody;
}

/** How a body is read. */
export interface Body {
  readonly kind: "json" | "form" | "content";
  /** Undefined for `content`. */
  readonly schema: Schema | undefined;
  readonly required: boolean;
  /** The media types of `content`. */
  readonly types: readonly string[];
}

export function toBody(declared: Contract["body"]): Body | undefined {
  if (declared === undefined) return undefined;
  if (isSchema(declared)) return { kind: "json", schema: declared, required: true, types: [] };
  if ("form" in declared) return { kind: "form", schema: declared.form, required: true, types: [] };
  if ("content" in declared) {
    return { kind: "content", schema: undefined, required: true, types: [declared.content].flat() };
  }
  const body = toBody(declared.optional);
  return body && { ...body, required: false };
}

export function isContent(declared: unknown): declared is ContentBody {
  if (typeof declared !== "object" || declared === null || !("content" in declared) || isSchema(declared)) return false;
  const types = [declared.content].flat();
  return types.length > 0 && types.every((type) => typeof type === "string");
}

/** The status that a plain value has; undefined when every value must name its own. */
export function plainStatusOf(returns: Contract["returns"]): number | undefined {
  const statuses = Object.keys(returnsByStatus(returns)).map(Number);
  return statuses.includes(200) ? 200 : statuses.length === 1 ? statuses[0] : undefined;
}

export function returnsByStatus(returns: Contract["returns"]): ReturnsByStatus {
  if (typeof returns !== "object" && typeof returns !== "function") return {}; // also null, which is reported at start
  if (returns === null) return {};
  return isSchema(returns) || isContent(returns) ? { 200: returns } : returns;
}

/** What is declared for the errors of one status. */
export interface DeclaredErrors {
  readonly messages: Set<string>;
  readonly schemas: Set<Schema>;
}

/** The errors of the endpoint, of its middlewares, and of input that is rejected before the handler runs, by status. */
export function errorsByStatus(
  contract: Contract,
  contracts: readonly MiddlewareContract[],
  format: Pick<ErrorFormat, "rejectedStatus" | "malformedStatus">,
): Map<number, DeclaredErrors> {
  const errors = new Map<number, DeclaredErrors>();
  const all = [impliedErrors(contract, format), contract.errors, ...contracts.map(({ errors }) => errors)];
  for (const [status, declared] of all.flatMap((some) => Object.entries(some ?? {}))) {
    const { messages, schemas } = errors.get(Number(status)) ?? { messages: new Set(), schemas: new Set() };
    if (isSchema(declared)) schemas.add(declared);
    else for (const message of [declared].flat()) messages.add(message);
    errors.set(Number(status), { messages, schemas });
  }
  return errors;
}

/** What a route with such an input may respond without saying so: rejected input, a body that is too large or too slow. */
function impliedErrors(
  { params, query, headers, body }: Contract,
  { rejectedStatus = 400, malformedStatus = rejectedStatus }: Pick<ErrorFormat, "rejectedStatus" | "malformedStatus">,
): ErrorsByStatus {
  if ([params, query, headers, body].every((part) => part === undefined)) return {};
  const rejected: Record<number, readonly string[]> = { 400: ["Bad Request"] };
  for (const status of new Set([rejectedStatus, body === undefined ? rejectedStatus : malformedStatus])) {
    rejected[status] = ["Invalid request", ...(rejected[status] ?? [])];
  }
  return body === undefined ? rejected : { ...rejected, 413: "Payload Too Large" };
}

export function isSchema(value: unknown): value is Schema {
  return (typeof value === "object" || typeof value === "function") && value !== null && "~standard" in value;
}

/** Whether the OpenAPI document shows a route: it has a method, and its contract does not hide it. */
export function isDocumented({ method, contract }: Pick<MatchedRoute, "method" | "contract">): boolean {
  return method !== undefined && contract?.hidden !== true;
}

/** The route that handles a request, as it was declared. */
export interface MatchedRoute {
  /** `GET` for a HEAD request that a GET route handles. Undefined for commands. */
  readonly method: string | undefined;
  /** With the names of its parameters: `/posts/:id`. */
  readonly path: string;
  /** The name of the class that declares it. */
  readonly controller: string;
  readonly handler: string;
  /** What `endpoint()` declares; undefined for a plain handler. */
  readonly contract: Contract | undefined;
}

/** The router's match, as the context needs it. */
export interface RouteParams {
  readonly matched: MatchedRoute | undefined;
  /** Undefined for a name that the path does not declare. */
  param(name: string): string | undefined;
  /** By name, without a prototype, a new one each time. */
  toMap(): Record<string, string>;
  /** What `*` matched, segment by segment. */
  rest(): readonly string[];
}

/** The error response that the contract of a route declares for a status: what `ctx.fail()` throws. */
export function toDeclaredError(route: MatchedRoute | undefined, status: number, detail: unknown): HttpError {
  const refuse = (fix: string): never => {
    throw new TypeError(
      `ctx.fail(${status}) of ${route === undefined ? "this request" : describeRoute(route)}: ${fix}`,
    );
  };
  const declared = route?.contract?.errors?.[status];
  if (declared === undefined) return refuse("no such error is declared. Add it to `errors`.");
  if (isSchema(declared)) return new DeclaredError(status, detail);
  const messages = [declared].flat();
  const message = detail ?? (messages.length === 1 ? messages[0] : undefined);
  if (typeof message === "string" && messages.includes(message)) return new HttpError(status, message);
  return refuse(`pass one of its messages: ${messages.map((text) => JSON.stringify(text)).join(", ")}.`);
}

/** `GET /posts/:id`, or the words of a command. */
export function describeRoute({ method, path }: Pick<MatchedRoute, "method" | "path">): string {
  return method === undefined ? path : `${method} ${path}`;
}

/** `posts.show` for `show` of `PostsController`. Undefined for a handler without a name. */
export function toOperationId(controller: string, handler: string): string | undefined {
  const name = handler.replace(/^#/, ""); // a private method
  // a function that is written in the record itself is called "handler", after its key
  if (name === "handler" || !/^[A-Za-z_][\w]*$/.test(name)) return undefined;
  const owner = toCamelCase(controller.replace(/(?<=.)Controller$/, ""));
  return owner === "" ? undefined : `${owner}.${name}`;
}

/** `APIKeys` → `apiKeys`; routes that are added at run time have owners with other characters: `app.routes` → `appRoutes`. */
function toCamelCase(name: string): string {
  const [first = "", ...others] = name.split(/[^\w$]+/).filter((word) => word !== "");
  const head = first.replace(/^[A-Z]+(?![a-z])|^[A-Z]/, (capitals) => capitals.toLowerCase());
  return [head, ...others.map((word) => word.charAt(0).toUpperCase() + word.slice(1))].join("");
}
