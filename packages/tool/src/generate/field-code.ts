import type { Field, FieldType } from "./fields.ts";

interface TypeCode {
  /** The type of the column, for Kysely. */
  readonly column: string;
  readonly type: string;
  /** The function of `@tenon/core` that declares the field. */
  readonly declare: string;
  /** The rules besides `required` and `nullable`. */
  readonly rules: readonly string[];
  /** Values for the tests. */
  readonly samples: readonly [first: string, second: string];
}

const text = { column: "text", type: "string" };
/** An `integer` of PostgreSQL has 32 bits. */
const integerRules = ["min=-2147483648", "max=2147483647"];
const typeCodes: Readonly<Record<FieldType, TypeCode>> = {
  string: { ...text, declare: "string", rules: ["max=200"], samples: ['"First"', '"Second"'] },
  text: { ...text, declare: "string", rules: ["max=10000"], samples: ['"First"', '"Second"'] },
  integer: { column: "integer", type: "number", declare: "integer", rules: integerRules, samples: ["1", "2"] },
  number: { column: "double precision", type: "number", declare: "number", rules: [], samples: ["1.5", "2.5"] },
  boolean: { column: "boolean", type: "boolean", declare: "boolean", rules: [], samples: ["true", "false"] },
  date: { ...text, declare: "date", rules: [], samples: ['"2026-01-01"', '"2026-01-02"'] },
  timestamp: {
    ...text,
    declare: "timestamp",
    rules: [],
    samples: ['"2026-01-01T00:00:00.000Z"', '"2026-01-02T00:00:00.000Z"'],
  },
  ref: { ...text, declare: "string", rules: ["max=60"], samples: ['"sample"', '"sample"'] },
};

export function toColumn({ name, type, isOptional, target }: Field): string {
  const reference = target === undefined ? "" : `.references("${target.replaceAll("-", "_")}.id")`;
  const deletion = target === undefined ? "" : `.onDelete("${isOptional ? "set null" : "cascade"}")`;
  const options = `${isOptional ? "" : ".notNull()"}${reference}${deletion}`;
  const callback = options === "" ? "" : `, (column) => column${options}`;
  return `        .addColumn("${name}", "${typeCodes[type].column}"${callback})\n`;
}

export function toProperty({ name, type, isOptional }: Field): string {
  return `  readonly ${name}: ${typeCodes[type].type}${isOptional ? " | null" : ""};\n`;
}

/** The field in a response. */
export function toReturned({ name, type, isOptional }: Field): string {
  return `  ${name}: ${typeCodes[type].declare}("required"${isOptional ? ', "nullable"' : ""}),\n`;
}

/** The field in a request. */
export function toInput({ name, type, isOptional }: Field): string {
  const { declare, rules } = typeCodes[type];
  const presence = isOptional ? "nullable" : type === "boolean" ? "default=false" : "required";
  return `  ${name}: ${declare}(${[presence, ...rules].map((rule) => `"${rule}"`).join(", ")}),\n`;
}

/** The names that the declarations import from `@tenon/core`, sorted as the formatter does. */
export function toImports(fields: readonly Field[], always: readonly string[]): string {
  const names = new Set([...always, ...fields.map(({ type }) => typeCodes[type].declare)]);
  const key = (name: string) => name.replace("type ", "").toLowerCase();
  return [...names].sort((a, b) => (key(a) < key(b) ? -1 : 1)).join(", ");
}

/** What a value needs before it is stored; undefined when it is stored as it is. */
export function toStored({ name, type, isOptional }: Field): string | undefined {
  if (type === "timestamp") return `${name}: input.${name}${isOptional ? "?.toISOString() ?? null" : ".toISOString()"}`;
  if (!isOptional) return undefined;
  return `${name}: input.${name} ${type === "ref" ? "||" : "??"} null`; // a form sends "" for no row
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
    if (value === "false") return [];
    if (isOptional && index === 1) return `${name}: ""`;
    return `${name}: ${value.startsWith('"') ? value : `"${value}"`}`;
  });
  return values.length === 0 ? "{}" : `{ ${values.join(", ")} }`;
}
