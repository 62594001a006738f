import type { Contract } from "./contract.ts";

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

/** The names of the parameters in a path: `ParamNames<"/posts/:id">` is `"id"`. */
export type ParamNames<Path extends string> = string extends Path
  ? string
  : Path extends `${infer Head}/${infer Rest}`
    ? ParamName<Head> | ParamNames<Rest>
    : ParamName<Path>;
type ParamName<Segment extends string> = Segment extends `:${infer Name}` ? Name : Segment extends "*" ? "*" : never;
