/** A JSON Schema of draft 2020-12. */
export type JsonSchema = { readonly [keyword: string]: unknown };
/** What clients send, or what a handler returns. */
export type Direction = "input" | "output";
/** A schema that can be written once, under its name. */
export interface NamedSchema {
  /** "" without one. */
  readonly name: string;
  toSchema(direction: Direction, refer?: Refer): JsonSchema;
}
/** What to write in place of a DTO with a name, such as a `$ref`; undefined to write the DTO itself. */
export type Refer = (dto: NamedSchema, direction: Direction) => JsonSchema | undefined;
