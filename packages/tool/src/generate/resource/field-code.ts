import { toTable } from "../../names.ts";
import type { Field, FieldType } from "./fields.ts";
import { type IdType, sampleId } from "./targets.ts";

interface TypeCode {
  /** The type of the column, for Kysely. */
  readonly column: string;
  /** The function of `@tenon/core` that declares the field. */
  readonly declare: string;
  /** The rules besides `required` and `nullable`. */
  readonly rules: readonly string[];
  /** Values for the tests. */
  readonly samples: readonly [first: string, second: string];
}

const text = { column: "text" };
const ids = ['"3f1c8a52-7f0e-4d65-9c1b-2a6f0d9e4b10"', '"b7d2e6f4-15a3-4c8e-8f27-6e9a1c0d3b58"'] as const;
/** An `integer` of PostgreSQL has 32 bits. */
const integerRules = ["min=-2147483648", "max=2147483647"];
const typeCodes: Readonly<Record<FieldType, TypeCode>> = {
  string: { ...text, declare: "string", rules: ["max=200"], samples: ['"First"', '"Second"'] },
  text: { ...text, declare: "string", rules: ["max=10000"], samples: ['"First"', '"Second"'] },
  integer: { column: "integer", declare: "integer", rules: integerRules, samples: ["1", "2"] },
  number: { column: "double precision", declare: "number", rules: [], samples: ["1.5", "2.5"] },
  decimal: { column: "numeric", declare: "string", rules: ["decimal", "max=40"], samples: ['"12.50"', '"-0.10"'] },
  boolean: { column: "boolean", declare: "boolean", rules: [], samples: ["true", "false"] },
  date: { column: "date", declare: "date", rules: [], samples: ['"2026-01-01"', '"2026-01-02"'] },
  timestamp: {
    column: "timestamptz(3)",
    declare: "timestamp",
    rules: [],
    samples: ['"2026-01-01T00:00:00.000Z"', '"2026-01-02T00:00:00.000Z"'],
  },
  enum: { ...text, declare: "string", rules: [], samples: ['""', '""'] },
  uuid: { column: "uuid", declare: "string", rules: ["uuid"], samples: ids },
  json: { column: "jsonb", declare: "json", rules: [], samples: ["{ size: 1 }", '["a", null]'] },
  ref: { column: "uuid", declare: "string", rules: ["uuid"], samples: [`"${sampleId}"`, `"${sampleId}"`] },
};
/** A ref to a table whose ids are texts. */
const textRef: TypeCode = { ...typeCodes.ref, ...text, rules: ["max=60"] };

function typeCodeOf({ type, values }: Field, targetId: IdType | undefined): TypeCode {
  if (type === "ref" && targetId === "text") return textRef;
  if (type !== "enum") return typeCodes[type];
  const samples = [`"${values[0]}"`, `"${values.at(-1)}"`] as const;
  return { ...typeCodes.enum, rules: [`oneof=${values.join(" ")}`], samples };
}

export interface FieldCode {
  /** The arguments of `addColumn`. */
  readonly column: string;
  /** Its declaration in the DTO. */
  readonly declaration: string;
}

/** `targetId` is the type of the ids that a ref refers to. */
export function toFieldCode(field: Field, targetId?: IdType): FieldCode {
  const { name, type, isOptional, target } = field;
  const { column, declare, rules } = typeCodeOf(field, targetId);
  const reference = target === undefined ? "" : `.references("${toTable(target)}.id")`;
  const deletion = target === undefined ? "" : `.onDelete("${isOptional ? "set null" : "cascade"}")`;
  const isNullable = isOptional || type === "json"; // null is JSON too
  const options = `${isNullable ? "" : ".notNull()"}${reference}${deletion}`;
  const presence = isOptional ? "nullable" : type === "boolean" ? "default=false" : "required";
  const least = targetId === "text" && isOptional ? ["min=1"] : []; // "", which a form sends for no row, is then null
  return {
    column: `"${name}", "${column}"${options === "" ? "" : `, (column) => column${options}`}`,
    declaration: `${declare}(${[presence, ...least, ...rules].map((rule) => `"${rule}"`).join(", ")})`,
  };
}

/** The names that the declarations import from `@tenon/core`. */
export function toImports(fields: readonly Field[], always: readonly string[]): string {
  return sortNames([...always, ...fields.map(({ type }) => typeCodes[type].declare)]);
}

/** Names of an import, each once, sorted as the formatter does: where the name of a resource comes depends on it. */
export function sortNames(names: readonly string[]): string {
  const key = (name: string) => name.replace("type ", "").toLowerCase();
  return [...new Set(names)].sort((a, b) => (key(a) < key(b) ? -1 : 1)).join(", ");
}

/** `{ title: "First", done: true }` */
export function toSample(fields: readonly Field[], index: 0 | 1): string {
  const values = fields.map((field) => `${field.name}: ${typeCodeOf(field, undefined).samples[index]}`);
  return `{ ${values.join(", ")} }`;
}

/** The sample as a browser sends it: a checkbox that is not ticked is absent, and an empty field is "". */
export function toFormSample(fields: readonly Field[], index: 0 | 1): string {
  const values = fields.flatMap((field) => {
    const { name, type, isOptional } = field;
    const value = typeCodeOf(field, undefined).samples[index];
    if (isOptional && index === 1) return `${name}: ""`;
    if (value === "false") return [];
    if (type === "json") return `${name}: JSON.stringify(${value})`;
    return `${name}: ${value.startsWith('"') ? value : `"${value}"`}`;
  });
  return values.length === 0 ? "{}" : `{ ${values.join(", ")} }`;
}
