import type { Issue } from "../support/errors.ts";
import type { FoundIssue } from "./found-issue.ts";

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

/** A field or a DTO. */
interface Own<T> {
  parse(input: unknown, issues: FoundIssue[], options: { readonly fromText: boolean }): T;
  toSchema(direction: Direction): JsonSchema;
}

/** Targets whose keywords are those that we write. */
const targets = ["draft-2020-12", "draft-07"];

/** What a field or a DTO is to other libraries: a Standard Schema and a Standard JSON Schema. */
export function toStandard<T>(own: Own<T>): StandardSchema<unknown, T>["~standard"] & StandardJsonSchema["~standard"] {
  const describe = (direction: Direction, target: string): Record<string, unknown> => {
    if (targets.includes(target)) return { ...own.toSchema(direction) };
    throw new TypeError(`a schema cannot be written for "${target}". Use ${targets.join(" or ")}.`);
  };
  return {
    version: 1,
    vendor: "tenon",
    validate: (input) => {
      const issues: FoundIssue[] = [];
      const value = own.parse(input, issues, { fromText: false });
      if (issues.length === 0) return { value };
      return { issues: issues.map(({ keys, message }) => ({ message, path: keys })) };
    },
    jsonSchema: {
      input: ({ target }) => describe("input", target),
      output: ({ target }) => describe("output", target),
    },
  };
}

/** Zod describes the other fields when one cannot be written, such as a date. Other libraries ignore it. */
const libraryOptions = { unrepresentable: "any" };

/** A schema of another library as JSON Schema; `{}` where it cannot be written as one. */
export function describeStandard(schema: Schema, direction: Direction): JsonSchema {
  // optional in the standard, so that the type of a schema does not have it
  const { jsonSchema } = schema["~standard"] as Partial<StandardJsonSchema["~standard"]>;
  try {
    const { $schema: _, ...written } = jsonSchema?.[direction]({ target: "draft-2020-12", libraryOptions }) ?? {};
    return written;
  } catch {
    return {}; // a library throws for what JSON Schema cannot say, such as a date
  }
}

/** The schema that a `$ref` of a library names, or the schema itself. */
export function resolveRef(schema: JsonSchema, root: JsonSchema): JsonSchema {
  if (schema.$ref === "#") return root;
  const [, name = ""] = /^#\/\$defs\/([^/]+)$/.exec(String(schema.$ref)) ?? [];
  const target = (root.$defs as Readonly<Record<string, JsonSchema>> | undefined)?.[name]; // by JSON Schema
  return target === undefined ? schema : resolveRef(target, root);
}
