import type * as FastCheck from "fast-check";
import type { JsonSchema } from "../dto/json-schema.ts";

type Arbitrary = FastCheck.Arbitrary<unknown>;

/** Components by the name after `#/components/schemas/`. */
export type Schemas = Readonly<Record<string, JsonSchema>>;

const deepest = 4; // recursive schemas end there, with their shortest values
const longest = 2000; // a text of the maximum length is sent up to this one, so that a body stays below its limit

/** The first is what a failure is reduced to. All are single code points, as JSON Schema counts. */
const characters = [
  ..."abcxyzABCXYZ019 .,:;-_/\\|'\"`<>(){}[]&%$#@!?*+=~^\n\r\t\u0001\u007f\u00a0\u200b\u202e\ufeffäöüßéİ你😀",
];

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
    if (allowsAnything(known)) return this.#anything();
    const types = typesOf(known);
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

  /** Whether a value may be or hold an object, which a query cannot express. */
  hasObjects(schema: JsonSchema): boolean {
    const { oneOf = [], anyOf = [], items = [], ...known } = this.resolve(schema);
    if (typesOf(known).includes("object") || Object.keys(propertiesOf(known)).length > 0) return true;
    const parts = [oneOf, anyOf, items].flat() as readonly JsonSchema[]; // by JSON Schema
    return parts.some((part) => this.hasObjects(part));
  }

  #ofType(type: string, schema: JsonSchema, depth: number): Arbitrary {
    const fc = this.#fc;
    switch (type) {
      case "null":
        return fc.constant(null);
      case "boolean":
        return fc.boolean();
      case "integer": {
        const { least, most } = wholeBounds(schema);
        return fc.oneof(fc.constantFrom(...boundaries(least, most, 1)), fc.integer({ min: least, max: most }));
      }
      case "number": {
        const { least, most } = numberBounds(schema);
        const any = fc.double({ min: least, max: most, noNaN: true });
        return fc.oneof(fc.constantFrom(...boundaries(least, most, 0.01)), any);
      }
      case "string":
        return this.#text(schema);
      case "array":
        return this.#list(schema, depth);
      default:
        return this.#object(schema, depth);
    }
  }

  #text(schema: JsonSchema): Arbitrary {
    const fc = this.#fc;
    const { format, pattern } = schema;
    if (typeof pattern === "string") return fc.stringMatching(new RegExp(pattern, "u"));
    if (isFile(schema)) return this.#ofLength(schema, ["a", "b"]); // one byte each: the limits of a file are in bytes
    const day = fc.date({ min: new Date("0001-01-01"), max: new Date("9999-12-31"), noInvalidDate: true });
    const word = fc.string({ unit: fc.constantFrom(..."abcxyz"), minLength: 1, maxLength: 10 });
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
      default:
        return this.#ofLength(schema, characters);
    }
  }

  /** Text of these characters, often as short or as long as it may be. */
  #ofLength(schema: JsonSchema, allowed: readonly string[]): Arbitrary {
    const fc = this.#fc;
    const least = Number(schema.minLength ?? 0);
    const most = Math.max(least, Number(schema.maxLength ?? least + 40));
    const short = fc.string({
      unit: fc.constantFrom(...allowed),
      minLength: least,
      maxLength: Math.min(most, least + 40),
    });
    const lengths = [least, Math.max(least, Math.min(most, longest))];
    const ends = [allowed[0] ?? "", allowed.at(-1) ?? ""]; // the last is the one with the most bytes
    const extremes = lengths.flatMap((length) => ends.map((character) => character.repeat(length)));
    return fc.oneof({ arbitrary: short, weight: 3 }, { arbitrary: fc.constantFrom(...extremes), weight: 1 });
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
    const keys = fc.string({ unit: fc.constantFrom(..."abcxyz"), minLength: 1, maxLength: 8 });
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

/** Whether it says nothing about its values, as that of `json()`. */
export function allowsAnything(schema: JsonSchema): boolean {
  const isLimited = ["type", "const", "enum", "oneOf", "anyOf"].some((keyword) => keyword in schema);
  return !isLimited && Object.keys(propertiesOf(schema)).length === 0;
}

/** The media type of a file. Where several are allowed, only the description names them. */
export function mediaTypeOf({ contentMediaType, description }: JsonSchema): string {
  const [, named = ""] = /must be of type ([\w.+-]+\/[\w.+*-]*[\w*])/i.exec(String(description)) ?? [];
  return String(contentMediaType ?? named).replace("*", "x");
}

interface Bounds {
  readonly least: number;
  readonly most: number;
}

function numberBounds({ minimum, maximum }: JsonSchema): Bounds {
  const least = Number(minimum ?? Math.min(-1e9, Number(maximum ?? 0)));
  return { least, most: Number(maximum ?? Math.max(1e9, least)) };
}

function wholeBounds(schema: JsonSchema): Bounds {
  const { least, most } = numberBounds(schema);
  return { least: Math.ceil(least), most: Math.floor(most) };
}

/** The numbers at which conditions change: around zero, the ends of the range and their neighbours. */
function boundaries(least: number, most: number, step: number): number[] {
  const all = [0, 1, -1, least, least + step, most - step, most];
  return [...new Set(all)].filter((value) => value >= least && value <= most);
}
