import { Dto } from "./dto.ts";
import { Field, type Refer } from "./field.ts";
import { type Direction, describeStandard, type JsonSchema, type Schema } from "./standard-schema.ts";

export type { NamedSchema, Refer } from "./field.ts";
export type { Direction, JsonSchema } from "./standard-schema.ts";

/** A schema as JSON Schema; `{}`, which allows everything, for a schema that cannot be written as one. */
export function toJsonSchema(schema: Schema, direction: Direction, refer?: Refer): JsonSchema {
  const isOwn = schema instanceof Dto || schema instanceof Field;
  return isOwn ? schema.toSchema(direction, refer) : describeStandard(schema, direction);
}

/** Whether a schema holds a file, which only a form can send. */
export function hasFile(written: unknown): boolean {
  if (typeof written !== "object" || written === null) return false;
  if ("format" in written && written.format === "binary") return true;
  return Object.values(written).some(hasFile);
}
