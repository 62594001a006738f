/**
 * Per-request values that middlewares and handlers share. Packages and applications add theirs:
 * `declare module "@tenon/core" { interface ContextValues { user_id: string } }`
 */
// biome-ignore lint/suspicious/noEmptyInterface: an interface, because only interfaces can be augmented
export interface ContextValues {}

/** The declared type of a value; a name that nobody declared gives unknown. */
export type ValueOf<K extends string> = K extends keyof ContextValues ? ContextValues[K] : unknown;
export type ValueName = keyof ContextValues | (string & {});

/** The names of the parameters in a path: `ParamNames<"/posts/:id">` is `"id"`. */
export type ParamNames<Path extends string> = string extends Path
  ? string
  : Path extends `${infer Head}/${infer Rest}`
    ? ParamName<Head> | ParamNames<Rest>
    : ParamName<Path>;
type ParamName<Segment extends string> = Segment extends `:${infer Name}` ? Name : Segment extends "*" ? "*" : never;
