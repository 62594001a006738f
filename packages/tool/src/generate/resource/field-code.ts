import { toTable } from "../../names.ts";
import type { Field, FieldType } from "./fields.ts";

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
/** An `integer` of PostgreSQL has 32 bits. */
const integerRules = ["min=-2147483648", "max=2147483647"];
const typeCodes: Readonly<Record<FieldType, TypeCode>> = {
  string: { ...text, declare: "string", rules: ["max=200"], samples: ['"First"', '"Second"'] },
  text: { ...text, declare: "string", rules: ["max=10000"], samples: ['"First"', '"Second"'] },
  integer: { column: "integer", declare: "integer", rules: integerRules, samples: ["1", "2"] },
  number: { column: "double precision", declare: "number", rules: [], samples: ["1.5", "2.5"] },
  boolean: { column: "boolean", declare: "boolean", rules: [], samples: ["true", "false"] },
  date: { ...text, declare: "date", rules: [], samples: ['"2026-01-01"', '"2026-01-02"'] },
  timestamp: {
    ...text,
    declare: "timestamp",
    rules: [],
    samples: ['"2026-01-01T00:00:00.000Z"', '"2026-01-02T00:00:00.000Z"'],
  },
  ref: { ...text, declare: "string", rules: ["max=60"], samples: ['"sample"', '"sample"'] },
};

export interface FieldCode {
  /** The arguments of `addColumn`. */
  readonly column: string;
  /** Its declaration in the DTO. */
  readonly declaration: string;
}

export function toFieldCode({ name, type, isOptional, target }: Field): FieldCode {
  const { column, declare, rules } = typeCodes[type];
  const reference = target === undefined ? "" : `.references("${toTable(target)}.id")`;
  const deletion = target === undefined ? "" : `.onDelete("${isOptional ? "set null" : "cascade"}")`;
  const options = `${isOptional ? "" : ".notNull()"}${reference}${deletion}`;
  const presence = isOptional ? "nullable" : type === "boolean" ? "default=false" : "required";
  const least = type === "ref" && isOptional ? ["min=1"] : []; // "", which a form sends for no row, is then null
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
  const values = fields.map(({ name, type }) => `${name}: ${typeCodes[type].samples[index]}`);
  return `{ ${values.join(", ")} }`;
}

/** The sample as a browser sends it: a checkbox that is not ticked is absent, and an empty field is "". */
export function toFormSample(fields: readonly Field[], index: 0 | 1): string {
  const values = fields.flatMap(({ name, type, isOptional }) => {
    const value = typeCodes[type].samples[index];
    if (isOptional && index === 1) return `${name}: ""`;
    if (value === "false") return [];
    return `${name}: ${value.startsWith('"') ? value : `"${value}"`}`;
  });
  return values.length === 0 ? "{}" : `{ ${values.join(", ")} }`;
}
