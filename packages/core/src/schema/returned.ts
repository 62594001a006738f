import type { Dto } from "./dto.ts";
import type { Field } from "./field.ts";
import type { InferInput, Schema } from "./standard-schema.ts";

/** What a handler may return for a schema: for a timestamp also a Date, and for other libraries what they accept. */
export type Returned<S extends Schema> = S extends Dto | Field ? S["returned"] : Unchanged<InferInput<S>>;

/** Nothing that is returned is changed: lists may be readonly. */
type Unchanged<T> = T extends Date
  ? T
  : T extends readonly (infer Item)[]
    ? readonly Unchanged<Item>[]
    : T extends object
      ? { readonly [Key in keyof T]: Unchanged<T[Key]> }
      : T;
