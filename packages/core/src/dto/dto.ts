import { Field, type ReadOptions, type Refer, type Select } from "./field.ts";
import { Members } from "./members.ts";
import { toStandard } from "./standard.ts";
import type { Direction, JsonSchema, StandardJsonSchema, StandardSchema } from "./standard-schema.ts";
import { addKey, type FoundIssue, report } from "./text.ts";

export type { Field } from "./field.ts";

export type Fields = Readonly<Record<string, Field>>;
type PresentNames<F extends Fields> = { [K in keyof F]: F[K]["present"] extends true ? K : never }[keyof F];
// `extends infer` merges the intersection without a name of its own: messages of the compiler then show plain objects
export type ObjectOf<F extends Fields> = { [K in PresentNames<F>]: F[K]["output"] } & {
  [K in Exclude<keyof F, PresentNames<F>>]?: F[K]["output"];
} extends infer Whole
  ? { [K in keyof Whole]: Whole[K] }
  : never;
export type ReturnedObjectOf<F extends Fields> = { [K in PresentNames<F>]: F[K]["returned"] } & {
  [K in Exclude<keyof F, PresentNames<F>>]?: F[K]["returned"] | undefined;
} extends infer Whole
  ? { [K in keyof Whole]: Whole[K] }
  : never;

/** The type that a DTO or a field binds to. */
export type Infer<S extends Dto | Field> = S["output"];

export class Dto<T = unknown, R = T, F extends Fields = Fields> implements StandardSchema<unknown, T> {
  declare readonly output: T;
  /** What a handler may return for it. */
  declare readonly returned: R;
  /** For other DTOs: `dto({ ...CreatePost.fields, id: string("required") })`. */
  readonly fields: F;
  /** Its name in documents; "" without one. */
  readonly name: string;
  readonly "~standard": StandardSchema<unknown, T>["~standard"] & StandardJsonSchema["~standard"];
  readonly #entries: readonly (readonly [string, Field])[];

  constructor(fields: F, name = "") {
    this.fields = fields;
    this.name = name;
    this.#entries = Object.entries(fields);
    this["~standard"] = toStandard<T>(this);
  }

  /** Builds the object field by field: unknown keys and prototypes never pass. */
  parse(input: unknown, issues: FoundIssue[], options: ReadOptions): T {
    const value: Record<string, unknown> = {};
    if (!isObject(input)) {
      report(issues, "object", "must be an object");
      return value as T; // never used: there is an issue
    }
    for (const [name, field] of this.#entries) {
      // what a handler returns may be an instance with getters, what a client sends may not
      const given = options.returned === true || Object.hasOwn(input, name) ? input[name] : undefined;
      const start = issues.length;
      const parsed = field.parseMember(given, issues, options);
      if (issues.length > start) addKey(name, issues, start);
      if (parsed !== undefined) value[name] = parsed;
    }
    return value as T; // every field was read by its own rules
  }

  compileSelect(): Select {
    const members = this.compileMembers();
    return (value) => (isObject(value) ? members.select(value) : undefined);
  }

  compileMembers(): Members {
    return new Members(this.#entries);
  }

  /** Unknown keys are allowed: those of a request are ignored. */
  toSchema(direction: Direction, refer?: Refer): JsonSchema {
    return (this.name === "" ? undefined : refer?.(this, direction)) ?? this.toObjectSchema(direction, refer);
  }

  /** As `toSchema`, but never a reference, and with these properties first. */
  toObjectSchema(
    direction: Direction,
    refer?: Refer,
    properties: Readonly<Record<string, JsonSchema>> = {},
  ): JsonSchema {
    const needed = this.#entries.filter(([, field]) => (direction === "input" ? field.required : field.present));
    const required = [...Object.keys(properties), ...needed.map(([name]) => name)];
    const own = this.#entries.map(([name, field]) => [name, field.toSchema(direction, refer)] as const);
    return {
      type: "object",
      properties: { ...properties, ...Object.fromEntries(own) },
      ...(required.length === 0 ? {} : { required }),
    };
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Declares what a body carries: `dto({ title: string("required"), published: boolean() })`. */
export function dto<const F extends Fields>(fields: F): Dto<ObjectOf<F>, ReturnedObjectOf<F>, F>;
/** With a name, which documents use for it: `dto("Post", { title: string("required") })`. */
export function dto<const F extends Fields>(name: string, fields: F): Dto<ObjectOf<F>, ReturnedObjectOf<F>, F>;
export function dto(...given: [fields: Fields] | [name: string, fields: Fields]): Dto {
  const [name, fields] = given.length === 1 ? ["", given[0]] : given;
  if (given.length === 2 && !/^[A-Za-z0-9_.-]+$/.test(name)) {
    throw new TypeError(`"${name}" cannot name a DTO: use letters, digits, "_", "." and "-"`);
  }
  checkFields(fields);
  return new Dto(Object.freeze({ ...fields }), name);
}

function checkFields(fields: Fields): void {
  if (Object.hasOwn(fields, "__proto__")) throw new TypeError('"__proto__" cannot be a field');
  for (const [name, field] of Object.entries(fields)) {
    if (!(field instanceof Field))
      throw new TypeError(`"${name}" is not a field. Use string(), number() and the like.`);
    const twin = Object.keys(fields).find((other) => field.letter !== "" && fields[other]?.letter === field.letter);
    if (twin !== undefined && twin !== name)
      throw new TypeError(`"${twin}" and "${name}" have the same alias("${field.letter}")`);
  }
}
