import type { Input } from "../body/input.ts";
import { BindError, type Issue } from "../support/errors.ts";
import { Field, type ReadOptions, type Refer, type Select } from "./field.ts";
import { validateByStandard } from "./foreign-schema.ts";
import { addKey, type FoundIssue, report, toIssues } from "./found-issue.ts";
import type { Presence } from "./infer.ts";
import { Members } from "./members.ts";
import {
  type Direction,
  type InferInput,
  type InferOutput,
  type JsonSchema,
  type Schema,
  type StandardJsonSchema,
  type StandardSchema,
  toStandard,
} from "./standard-schema.ts";

export type { Field } from "./field.ts";

export type Fields = Readonly<Record<string, Field>>;
type NamesOf<F extends Fields, P> = { [K in keyof F]: F[K]["presence"] extends P ? K : never }[keyof F];
type PresentNames<F extends Fields> = NamesOf<F, true | "default">;
// `extends infer` merges the intersection without a name of its own: messages of the compiler then show plain objects
export type ObjectOf<F extends Fields> = { [K in PresentNames<F>]: F[K]["output"] } & {
  [K in Exclude<keyof F, PresentNames<F>>]?: F[K]["output"];
} extends infer Whole
  ? { [K in keyof Whole]: Whole[K] }
  : never;
type InputObjectOf<F extends Fields> = { [K in NamesOf<F, true>]: F[K]["output"] } & {
  [K in Exclude<keyof F, NamesOf<F, true>>]?: F[K]["output"];
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

type OptionalFields<F extends Fields> = {
  readonly [K in keyof F]: F[K] extends Field<infer T, Presence, infer R> ? Field<T, false, R> : never;
};
type ExtendedFields<F extends Fields, Added extends Fields> = {
  readonly [K in keyof F | keyof Added]: K extends keyof Added ? Added[K] : K extends keyof F ? F[K] : never;
};

/** Fields by name. Other DTOs derive from it: they have no name of their own until `named()` gives them one. */
export class Dto<F extends Fields = Fields> implements StandardSchema<unknown, ObjectOf<F>> {
  declare readonly output: ObjectOf<F>;
  /** What code of the application passes for it, such as to a job: fields with a default may be left out. */
  declare readonly input: InputObjectOf<F>;
  /** What a handler may return for it. */
  declare readonly returned: ReturnedObjectOf<F>;
  readonly fields: F;
  /** Its name in documents; "" without one. */
  readonly name: string;
  /** Whether a request with a field that it does not declare is refused, see `strict()`. */
  readonly isStrict: boolean;
  readonly "~standard": StandardSchema<unknown, ObjectOf<F>>["~standard"] & StandardJsonSchema["~standard"];
  readonly #entries: readonly (readonly [string, Field])[];

  constructor(fields: F, name = "", isStrict = false) {
    this.fields = fields;
    this.name = name;
    this.isStrict = isStrict;
    this.#entries = Object.entries(fields);
    this["~standard"] = toStandard<ObjectOf<F>>(this);
  }

  /** The same fields under a name, which documents and clients use: `Post.omit("id").named("CreatePost")`. */
  named(name: string): Dto<F> {
    return this.#derive(this.fields, name);
  }

  /** These fields only. */
  pick<const Name extends keyof F & string>(...names: readonly Name[]): Dto<Pick<F, Name>> {
    this.#refuseUnknown("pick", names);
    return this.#derive(Object.fromEntries(names.map((name) => [name, this.fields[name]])) as Pick<F, Name>); // these and no other
  }

  /** All other fields. */
  omit<const Name extends keyof F & string>(...names: readonly Name[]): Dto<Omit<F, Name>> {
    this.#refuseUnknown("omit", names);
    const kept = this.#entries.filter(([name]) => !(names as readonly string[]).includes(name));
    return this.#derive(Object.fromEntries(kept) as unknown as Omit<F, Name> & Fields); // these and no other
  }

  /** All fields optional and without defaults, for an update. A text that was `required` must still not be empty. */
  partial(): Dto<OptionalFields<F>> {
    const fields = this.#entries.map(([name, field]) => [name, field.optional()]);
    return this.#derive(Object.fromEntries(fields) as OptionalFields<F>); // the same names
  }

  /** More fields, or others for the same names. */
  extend<const Added extends Fields>(fields: Added): Dto<ExtendedFields<F, Added>> {
    return this.#derive({ ...this.fields, ...fields } as unknown as ExtendedFields<F, Added>); // those of both
  }

  /**
   * The same fields, and a request with any other is refused instead of read without it: for a field that limits
   * something, which a client may misspell. DTOs that are derived from it are strict too.
   */
  strict(): Dto<F> {
    return new Dto(this.fields, this.name, true);
  }

  #derive<D extends Fields>(fields: D, name?: string): Dto<D> {
    const derived = name === undefined ? dto(fields) : dto(name, fields);
    return this.isStrict ? derived.strict() : derived;
  }

  #refuseUnknown(method: string, names: readonly string[]): void {
    const unknown = names.find((name) => !Object.hasOwn(this.fields, name));
    if (unknown === undefined) return;
    const known = Object.keys(this.fields).join(", ");
    throw new TypeError(`${method}("${unknown}"): ${this.name || "the DTO"} has the fields ${known}`);
  }

  /** Builds the object field by field: unknown keys and prototypes never pass. `tag`: the field that a union adds. */
  parse(input: unknown, issues: FoundIssue[], options: ReadOptions, tag?: string): ObjectOf<F> {
    const value: Record<string, unknown> = {};
    if (!isObject(input)) {
      report(issues, "object", "must be an object");
      return value as ObjectOf<F>; // never used: there is an issue
    }
    for (const [name, field] of this.#entries) {
      // what a handler returns may be an instance with getters, what a client sends may not
      const given = options.returned === true || Object.hasOwn(input, name) ? input[name] : undefined;
      const start = issues.length;
      const parsed = field.parseMember(given, issues, options);
      if (issues.length > start) addKey(name, issues, start);
      if (parsed !== undefined) value[name] = parsed;
    }
    if (this.isStrict && options.returned !== true) {
      const unknown = Object.keys(input).find((name) => name !== tag && !Object.hasOwn(this.fields, name));
      if (unknown !== undefined) issues.push({ keys: [unknown], rule: "unknown", message: "is not a known field" });
    }
    return value as ObjectOf<F>; // every field was read by its own rules
  }

  compileSelect(): Select {
    const members = this.compileMembers();
    return (value) => (isObject(value) ? members.select(value) : undefined);
  }

  compileMembers(): Members {
    return new Members(this.#entries);
  }

  /** Unknown keys are allowed, and those of a request are ignored, unless it is strict. */
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
      ...(this.isStrict && direction === "input" ? { additionalProperties: false } : {}),
    };
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Declares what a body carries: `dto({ title: string("required"), published: boolean() })`. */
export function dto<const F extends Fields>(fields: F): Dto<F>;
/** With a name, which documents use for it: `dto("Post", { title: string("required") })`. */
export function dto<const F extends Fields>(name: string, fields: F): Dto<F>;
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
    const twin = Object.keys(fields).find((other) => field.letter !== "" && fields[other]?.letter === field.letter);
    if (twin !== undefined && twin !== name)
      throw new TypeError(`"${twin}" and "${name}" have the same alias("${field.letter}")`);
  }
}

/** Returns the value of a DTO or a field at once; only a schema of another library may return a promise. */
export function validate<S extends Schema>(schema: S, input: Input): InferOutput<S> | Promise<InferOutput<S>> {
  if (!(schema instanceof Dto || schema instanceof Field)) return validateByStandard(schema, input);
  const issues: FoundIssue[] = [];
  const value: unknown = schema.parse(input.value, issues, input);
  if (issues.length > 0) throw new BindError(toIssues(issues));
  return value;
}

/** The value as a DTO or a field reads it from JSON. Throws a `BindError`, which a handler need not catch: 400 with issues. */
export function parse<S extends Dto | Field>(schema: S, value: unknown): Infer<S> {
  return validate(schema, { value, fromText: false }) as Infer<S>; // no promise: it is not of another library
}

/**
 * Where a value that a handler returned breaks its schema. Nothing is converted: a default must be there, and white
 * space stays. An undeclared key is not an issue, because it is not sent: see `compileSelect`.
 */
export function findResultIssues(schema: Dto | Field, value: unknown): Issue[] {
  const issues: FoundIssue[] = [];
  schema.parse(value, issues, { fromText: false, returned: true });
  return toIssues(issues);
}

/** What a handler may return for a schema: for a timestamp also a Date, and for other libraries what they accept. */
export type Returned<S extends Schema> = S extends Dto | Field ? S["returned"] : Unchanged<InferInput<S>>;

/** Nothing that is returned is changed: lists may be readonly. */
type Unchanged<T> = T extends Date
  ? T
  : T extends readonly (infer Item)[]
    ? readonly Unchanged<Item>[]
    : T extends object
      ? { readonly [Key in keyof T]: Unchanged<T[Key]> }
      : T;
