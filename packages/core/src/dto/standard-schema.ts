/** The Standard Schema contract (v1), as far as binding needs it. Zod, Valibot, ArkType and our own DTOs follow it. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Anything `bind` takes. */
export type Schema = StandardSchema<unknown, unknown>;

export type InferOutput<S extends Schema> = NonNullable<S["~standard"]["types"]>["output"];
