import { Field, type ReadOptions, type Refer, type Select } from "./field.ts";
import { toStandard } from "./standard.ts";
import type { Direction, JsonSchema, StandardJsonSchema, StandardSchema } from "./standard-schema.ts";
import { addKey, type FoundIssue, report } from "./text.ts";

export type { Field } from "./field.ts";

export type Fields = Readonly<Record<string, Field>>;
type PresentNames<F extends Fields> = { [K in keyof F]: F[K]["present"] extends true ? K : never }[keyof F];
type Simplify<T> = { [K in keyof T]: T[K] };
export type ObjectOf<F extends Fields> = Simplify<
  { [K in PresentNames<F>]: F[K]["output"] } & { [K in Exclude<keyof F, PresentNames<F>>]?: F[K]["output"] }
>;
type ReturnedObjectOf<F extends Fields> = Simplify<
  { [K in PresentNames<F>]: F[K]["returned"] } & {
    [K in Exclude<keyof F, PresentNames<F>>]?: F[K]["returned"] | undefined;
  }
>;

/** The type that a DTO or a field binds to. */
export type Infer<S extends Dto | Field> = S["output"];

/** Copies the declared fields of a value onto an object. */
export type Fill = (target: Record<string, unknown>, value: object) => Record<string, unknown>;

export class Dto<T = unknown, R = T> implements StandardSchema<unknown, T> {
  declare readonly output: T;
  /** What a handler may return for it. */
  declare readonly returned: R;
  readonly fields: Fields;
  /** Its name in documents; "" without one. */
  readonly name: string;
  readonly "~standard": StandardSchema<unknown, T>["~standard"] & StandardJsonSchema["~standard"];
  readonly #entries: readonly (readonly [string, Field])[];

  constructor(fields: Fields, name = "") {
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
    const fill = this.compileFill();
    return (value) => (isObject(value) ? fill({}, value) : undefined);
  }

  compileFill(): Fill {
    const names = this.#entries.map(([name]) => name);
    const selects = this.#entries.map(([, field]) => field.compileSelect());
    const nullables = this.#entries.map(([, field]) => field.nullable);
    return (target, value) => {
      for (let index = 0; index < names.length; index++) {
        const name = names[index] as string; // the three lists have the same length
        const given = (value as Record<string, unknown>)[name];
        if (given === undefined) continue;
        if (given === null) {
          if (nullables[index] === true) target[name] = null;
          continue;
        }
        const chosen = (selects[index] as Select)(given); // as above
        if (chosen !== undefined) target[name] = chosen;
      }
      return target;
    };
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
export function dto<const F extends Fields>(fields: F): Dto<ObjectOf<F>, ReturnedObjectOf<F>>;
/** With a name, which documents use for it: `dto("Post", { title: string("required") })`. */
export function dto<const F extends Fields>(name: string, fields: F): Dto<ObjectOf<F>, ReturnedObjectOf<F>>;
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
