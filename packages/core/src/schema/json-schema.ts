import { Dto } from "./dto.ts";
import { Field, type Refer } from "./field.ts";
import type { Direction, JsonSchema, Schema, StandardJsonSchema } from "./standard-schema.ts";

export type { NamedSchema, Refer } from "./field.ts";
export type { Direction, JsonSchema } from "./standard-schema.ts";

/** Zod describes the other fields when one cannot be written, such as a date. Other libraries ignore it. */
const libraryOptions = { unrepresentable: "any" };

/** A schema as JSON Schema; `{}`, which allows everything, for a schema that cannot be written as one. */
export function toJsonSchema(schema: Schema, direction: Direction, refer?: Refer): JsonSchema {
  if (schema instanceof Dto || schema instanceof Field) return schema.toSchema(direction, refer);
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
