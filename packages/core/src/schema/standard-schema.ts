import type { Issue } from "../support/errors.ts";

/** The Standard Schema contract (v1), as far as binding needs it. Zod, Valibot, ArkType and our own DTOs follow it. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** The Standard JSON Schema contract (v1): a schema that describes itself. It throws for a target that it cannot write. */
export interface StandardJsonSchema {
  readonly "~standard": {
    readonly jsonSchema: {
      readonly input: (options: JsonSchemaOptions) => Record<string, unknown>;
      readonly output: (options: JsonSchemaOptions) => Record<string, unknown>;
    };
  };
}

/** A JSON Schema of draft 2020-12. */
export type JsonSchema = { readonly [keyword: string]: unknown };
/** What clients send, or what a handler returns. */
export type Direction = "input" | "output";

export interface JsonSchemaOptions {
  readonly target: string;
  readonly libraryOptions?: Readonly<Record<string, unknown>>;
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
export type InferInput<S extends Schema> = NonNullable<S["~standard"]["types"]>["input"];

/** Libraries name no rule, so every issue has the rule "schema". */
export function toIssue(issue: StandardIssue): Issue & Required<Pick<Issue, "keys">> {
  const keys = (issue.path ?? [])
    .map((step) => (typeof step === "object" ? step.key : step))
    .map((key) => (typeof key === "symbol" ? String(key) : key));
  return { path: keys.join("."), keys, rule: "schema", message: issue.message };
}
