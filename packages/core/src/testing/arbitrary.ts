import type * as FastCheck from "fast-check";
import type { JsonSchema } from "../dto/json-schema.ts";

type Arbitrary = FastCheck.Arbitrary<unknown>;

/** Components by the name after `#/components/schemas/`. */
export type Schemas = Readonly<Record<string, JsonSchema>>;

const deepest = 4; // recursive schemas end there, with their shortest values

/** JSON Schema → values of it, and values that it certainly does not allow. */
export class Arbitraries {
  readonly #fc: typeof FastCheck;
  readonly #schemas: Schemas;

  constructor(fc: typeof FastCheck, schemas: Schemas) {
    this.#fc = fc;
    this.#schemas = schemas;
  }

  /** Values that the schema allows. */
  valid(schema: JsonSchema, depth = 0): Arbitrary {
    const fc = this.#fc;
    const known = this.resolve(schema);
    if ("const" in known) return fc.constant(known.const);
    if (Array.isArray(known.enum)) return fc.constantFrom(...known.enum);
    const alternatives = (known.oneOf ?? known.anyOf) as readonly JsonSchema[] | undefined;
    if (alternatives !== undefined) return fc.oneof(...alternatives.map((one) => this.valid(one, depth)));
    const types = typesOf(known);
    if (types.length === 0 && !("properties" in known)) return this.#anything();
    return fc.oneof(...(types.length === 0 ? ["object"] : types).map((type) => this.#ofType(type, known, depth)));
  }

  /**
   * Objects with one mistake that no application may accept: a required property is missing, or a property has another
   * JSON type. Undefined when the schema has no property to break.
   */
  invalid(schema: JsonSchema): Arbitrary | undefined {
    const known = this.resolve(schema);
    const properties = Object.entries(propertiesOf(known)).map(([name, one]) => [name, this.resolve(one)] as const);
    const required = (known.required ?? []) as readonly string[];
    const mistakes = [
      ...required.map((name) => (body: Record<string, unknown>) => without(body, name)),
      ...properties.flatMap(([name, one]) => {
        const wrong = wrongValueFor(one);
        return wrong === undefined ? [] : [(body: Record<string, unknown>) => ({ ...body, [name]: wrong })];
      }),
    ];
    if (mistakes.length === 0) return undefined;
    const fc = this.#fc;
    return fc
      .tuple(this.valid(known), fc.constantFrom(...mistakes))
      .map(([body, mistake]) => mistake(body as Record<string, unknown>)); // it has properties
  }

  /** The schema itself: references followed, `allOf` merged. */
  resolve(schema: JsonSchema): JsonSchema {
    const { $ref, allOf, ...own } = schema;
    const parts = (allOf ?? []) as readonly JsonSchema[];
    const name = typeof $ref === "string" ? $ref.replace("#/components/schemas/", "") : undefined;
    const referred = name === undefined ? [] : [this.#schemas[name] ?? {}];
    if (referred.length === 0 && parts.length === 0) return schema;
    return [...referred, ...parts].map((part) => this.resolve(part)).reduce(merge, own);
  }

  #ofType(type: string, schema: JsonSchema, depth: number): Arbitrary {
    const fc = this.#fc;
    switch (type) {
      case "null":
        return fc.constant(null);
      case "boolean":
        return fc.boolean();
      case "integer":
        return fc.maxSafeInteger().map((value) => clamp(value, wholeBounds(schema)));
      case "number":
        return fc
          .double({ noNaN: true, noDefaultInfinity: true })
          .map((value) => clamp(value || 0, numberBounds(schema)));
      case "string":
        return this.#text(schema);
      case "array":
        return this.#list(schema, depth);
      default:
        return this.#object(schema, depth);
    }
  }

  #text(schema: JsonSchema & { minLength?: number; maxLength?: number }): Arbitrary {
    const fc = this.#fc;
    const { format, pattern, minLength = 0, maxLength } = schema;
    if (typeof pattern === "string") return fc.stringMatching(new RegExp(pattern, "u"));
    const day = fc.date({ min: new Date("0001-01-01"), max: new Date("9999-12-31"), noInvalidDate: true });
    const word = fc.stringMatching(/^[a-z][a-z0-9]{0,10}$/);
    if (isFile(schema)) return fc.constant("bytes");
    switch (format) {
      case "email":
        return fc.tuple(word, word).map(([name, host]) => `${name}@${host}.example`);
      case "uri":
        return fc.tuple(word, word).map(([host, path]) => `https://${host}.example/${path}`);
      case "uuid":
        return fc.uuid();
      case "date":
        return day.map((date) => date.toISOString().slice(0, 10));
      case "date-time":
        return day.map((date) => date.toISOString());
      default: {
        const characters = fc.string({ unit: "grapheme", maxLength: Math.min(maxLength ?? 40, 40) });
        return characters.map((text) => fit(text.replaceAll("\0", ""), minLength, maxLength));
      }
    }
  }

  #list(schema: JsonSchema, depth: number): Arbitrary {
    const least = Number(schema.minItems ?? 0);
    const most = Math.max(least, Math.min(Number(schema.maxItems ?? least + 3), depth > deepest ? least : least + 3));
    const item = this.valid((schema.items ?? {}) as JsonSchema, depth + 1);
    return this.#fc.array(item, { minLength: least, maxLength: most });
  }

  #object(schema: JsonSchema, depth: number): Arbitrary {
    const fc = this.#fc;
    const required = (schema.required ?? []) as readonly string[];
    const entries = Object.entries(propertiesOf(schema)).filter(
      ([name]) => depth <= deepest || required.includes(name),
    );
    const model = Object.fromEntries(entries.map(([name, one]) => [name, this.valid(one, depth + 1)]));
    const declared = fc.record(model, { requiredKeys: required.filter((name) => Object.hasOwn(model, name)) });
    const { additionalProperties } = schema;
    if (typeof additionalProperties !== "object" || additionalProperties === null) return declared;
    const least = Number(schema.minProperties ?? 0);
    const values = this.valid(additionalProperties as JsonSchema, depth + 1);
    const keys = fc.stringMatching(/^[a-z]{1,8}$/);
    return fc.dictionary(keys, values, {
      minKeys: least,
      maxKeys: Math.max(least, Math.min(Number(schema.maxProperties ?? 3), 3)),
    });
  }

  /** Text that every store can keep, numbers that JSON keeps, and lists and objects of them. */
  #anything(): Arbitrary {
    const fc = this.#fc;
    return fc.oneof(fc.integer(), fc.boolean(), fc.string(), fc.array(fc.integer()), fc.record({ a: fc.string() }));
  }
}

/** The JSON types that it allows; none when it does not say. */
function typesOf({ type }: JsonSchema): readonly string[] {
  return [type as string | readonly string[] | undefined].flat().filter((name) => name !== undefined); // by JSON Schema
}

export function propertiesOf(schema: JsonSchema): Readonly<Record<string, JsonSchema>> {
  return (schema.properties ?? {}) as Readonly<Record<string, JsonSchema>>; // by JSON Schema
}

function merge(whole: JsonSchema, part: JsonSchema): JsonSchema {
  const required = [whole.required ?? [], part.required ?? []].flat();
  return {
    ...part,
    ...whole,
    properties: { ...propertiesOf(part), ...propertiesOf(whole) },
    ...(required.length > 0 ? { required } : {}),
  };
}

function without(body: Record<string, unknown>, name: string): Record<string, unknown> {
  const { [name]: _, ...rest } = body;
  return rest;
}

/** A value of another JSON type; undefined where every type may be allowed. Never null, which counts as absent. */
function wrongValueFor(schema: JsonSchema): unknown {
  const types = typesOf(schema);
  if (types.length === 0 || isFile(schema)) return undefined;
  if (!types.includes("object")) return { wrong: "type" };
  return types.includes("boolean") ? undefined : true;
}

/** Whether its value is the content of a file. */
export function isFile(schema: JsonSchema): boolean {
  return "contentMediaType" in schema || schema.format === "binary";
}

interface Bounds {
  readonly least: number;
  readonly most: number;
}

function numberBounds({ minimum, maximum }: JsonSchema): Bounds {
  return { least: Number(minimum ?? -1e9), most: Number(maximum ?? Math.max(1e9, Number(minimum ?? 0))) };
}

function wholeBounds(schema: JsonSchema): Bounds {
  const { least, most } = numberBounds(schema);
  return { least: Math.ceil(least), most: Math.floor(most) };
}

/** Spreads a value over the bounds, so that small ranges are hit. */
function clamp(value: number, { least, most }: Bounds): number {
  if (value >= least && value <= most) return value;
  const span = most - least;
  if (span <= 0) return least;
  const whole = Number.isInteger(least) && Number.isInteger(most);
  return whole ? least + (Math.abs(Math.trunc(value)) % (span + 1)) : least + (Math.abs(value) % span);
}

/** In code points, as JSON Schema counts. */
function fit(text: string, least: number, most = Number.POSITIVE_INFINITY): string {
  const characters = [...text.toWellFormed()].slice(0, most);
  while (characters.length < least) characters.push("x");
  return characters.join("");
}
