import type { FoundIssue } from "./found-issue.ts";
import type { Direction, JsonSchema, StandardJsonSchema, StandardSchema } from "./standard-schema.ts";

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
