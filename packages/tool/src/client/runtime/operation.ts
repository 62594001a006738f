export interface Operation {
  readonly path: readonly string[];
  readonly method: string;
  readonly url: string;
  readonly inputs?: readonly Input[];
  /** The input has one object for each kind, because names of different kinds are the same. */
  readonly isNested?: boolean;
  readonly body?: {
    readonly type: string;
    readonly kind: "json" | "multipart" | "form" | "raw";
    /** The media types that a raw body may have. */
    readonly types?: readonly string[];
    /** What of the fields of a form is sent as JSON. */
    readonly jsonFields?: readonly (readonly [name: string, part: "value" | "items"])[];
  };
  /** Content types and what becomes of them, by status. Undefined when nothing is declared. */
  readonly responses?: readonly (readonly [status: string, types: readonly ContentType[]])[];
  /** An event stream or a WebSocket, which is not called but opened. */
  readonly live?: "events" | "socket";
  /** Alternatives; each is the list of schemes that are needed together. */
  readonly security?: readonly (readonly string[])[];
}

export interface Input {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  /** How a list or an object is written. Defaults to repeated names. A path parameter of several segments keeps its slashes. */
  readonly style?: "comma" | "space" | "pipe" | "deep" | "json" | "segments";
}

export type ContentType = readonly [type: string, kind: "json" | "text" | "events" | "blob" | "stream"];

export interface Scheme {
  readonly in: "bearer" | "basic" | "header" | "query" | "cookie";
  readonly name: string;
}

export interface AnyResult {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Headers;
}

export interface Fields {
  readonly [name: string]: unknown;
}
