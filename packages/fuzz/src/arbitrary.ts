import type { JsonSchema } from "@tenon/core/platform";
import fc from "fast-check";

type Arbitrary = fc.Arbitrary<unknown>;

/** Components by the name after `#/components/schemas/`. */
export type Schemas = Readonly<Record<string, JsonSchema>>;

const deepest = 4; // recursive schemas end there, with their shortest values
/** Characters of the longest text, so that a body stays below its limit. */
export const longest = 5000;

const days = ["2024-02-29", "1969-12-31", "0001-01-01", "9999-12-31"];
const moments = [
  "2024-02-29T23:59:59.999Z",
  "1969-12-31T23:59:59Z",
  "2026-01-01T00:00:00+14:00",
  "2026-01-01T00:00:00.5-12:00",
];
const oddKeys = ["constructor", "toString", "0", "ä"];

/** The first is what a failure is reduced to. All are single code points, as JSON Schema counts. */
const characters = [
  ..."abcxyzABCXYZ019 .,:;-_/\\|'\"`<>(){}[]&%$#@!?*+=~^\n\r\t\u0001\u007f\u00a0\u200b\u202e\ufeff\u0301äöüßéİŉ你😀",
];

const scalars = [fc.integer(), fc.boolean(), fc.constant(null), fc.string()];
/** Text that every store can keep, numbers that JSON keeps, and lists and objects of them. */
const anything = fc.oneof(...scalars, fc.array(fc.integer()), fc.record({ a: fc.string() }));

/** JSON Schema → values that it allows. */
export class Arbitraries {
  readonly #schemas: Schemas;
  /** Whether values are the examples that schemas have, and only such and required ones. */
  readonly isExample: boolean;

  constructor(schemas: Schemas, isExample = false) {
    this.#schemas = schemas;
    this.isExample = isExample;
  }

  /** Values that the schema allows. */
  valid(schema: JsonSchema, depth = 0): Arbitrary {
    const known = this.resolve(schema);
    if (this.hasExample(known)) return fc.constant(known.examples[0]);
    if ("const" in known) return fc.constant(known.const);
    if (Array.isArray(known.enum)) return fc.constantFrom(...known.enum);
    const alternatives = (known.oneOf ?? known.anyOf) as readonly JsonSchema[] | undefined;
    if (alternatives !== undefined) return fc.oneof(...alternatives.map((one) => this.valid(one, depth)));
    if (allowsAnything(known)) return anything;
    const types = typesOf(known);
    return fc.oneof(...(types.length === 0 ? ["object"] : types).map((type) => this.#ofType(type, known, depth)));
  }

  hasExample(schema: JsonSchema): schema is JsonSchema & { readonly examples: readonly [unknown] } {
    return this.isExample && Array.isArray(schema.examples) && schema.examples.length > 0;
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
    switch (type) {
      case "null":
        return fc.constant(null);
      case "boolean":
        return fc.boolean();
      case "integer": {
        const { minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER } = schema; // exact in between
        const [least, most] = [Math.ceil(Number(minimum)), Math.floor(Number(maximum))];
        const any = fc.integer({ min: least, max: most });
        if (most - least < 10) return any; // each of them is likely
        return fc.oneof({ arbitrary: fc.constantFrom(...boundaries(least, most, 1)), weight: 2 }, any);
      }
      case "number": {
        const { minimum = -Number.MAX_VALUE, maximum = Number.MAX_VALUE } = schema;
        const [least, most] = [Number(minimum), Number(maximum)];
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
    const { format, pattern } = schema;
    if (typeof pattern === "string") return fc.stringMatching(new RegExp(pattern, "u"));
    if (isFile(schema)) return this.#ofLength(schema, ["a", "b"]); // one byte each: the limits of a file are in bytes
    const date = fc.date({ min: new Date("0001-01-01"), max: new Date("9999-12-31"), noInvalidDate: true });
    const moment = date.map((one) => one.toISOString());
    const day = moment.map((text) => text.slice(0, 10));
    const word = fc.string({ unit: fc.constantFrom(..."abcxyz"), minLength: 1, maxLength: 10 });
    switch (format) {
      case "email":
        return fc.tuple(word, word).map(([name, host]) => `${name}@${host}.example`);
      case "uri":
        return fc.tuple(word, word).map(([host, path]) => `https://${host}.example/${path}`);
      case "uuid":
        return fc.uuid();
      case "date":
        return fc.oneof(fc.constantFrom(...days), day);
      case "date-time":
        return fc.oneof(fc.constantFrom(...moments), moment);
      default:
        return this.#ofLength(schema, characters);
    }
  }

  /** Text of these characters, often as short or as long as it may be. */
  #ofLength(schema: JsonSchema, allowed: readonly string[]): Arbitrary {
    const least = Number(schema.minLength ?? 0);
    const most = Math.max(least, Number(schema.maxLength ?? longest));
    const short = fc.string({
      unit: fc.constantFrom(...allowed),
      minLength: least,
      maxLength: Math.min(most, least + 40),
    });
    const lengths = [least, Math.max(least, Math.min(most, 256)), Math.max(least, Math.min(most, longest))];
    const ends = [allowed[0] ?? "", allowed.at(-1) ?? ""]; // the last is the one with the most bytes
    const odd = allowed.slice(-Math.min(most, allowed.length)).join(""); // as many different ones as it may have
    const whole = Math.min(most, allowed.length) < least ? [] : [odd];
    const extremes = [...lengths.flatMap((length) => ends.map((character) => character.repeat(length))), ...whole];
    return fc.oneof({ arbitrary: short, weight: 2 }, { arbitrary: fc.constantFrom(...extremes), weight: 1 });
  }

  #list(schema: JsonSchema, depth: number): Arbitrary {
    const least = Number(schema.minItems ?? 0);
    const most = Math.max(least, Math.min(Number(schema.maxItems ?? least + 3), depth > deepest ? least : least + 3));
    const item = this.valid((schema.items ?? {}) as JsonSchema, depth + 1);
    const short = fc.array(item, { minLength: least, maxLength: most });
    const length = Math.min(Number(schema.maxItems ?? 20), depth > deepest ? most : 20);
    if (length <= least) return short;
    const equal = item.map((one) => Array.from({ length }, () => one)); // the longest list, of equal items
    return fc.oneof({ arbitrary: short, weight: 4 }, { arbitrary: equal, weight: 1 });
  }

  #object(schema: JsonSchema, depth: number): Arbitrary {
    const required = (schema.required ?? []) as readonly string[];
    const entries = Object.entries(propertiesOf(schema)).filter(
      ([name, one]) =>
        required.includes(name) || (this.isExample ? this.hasExample(this.resolve(one)) : depth <= deepest),
    );
    const model = Object.fromEntries(entries.map(([name, one]) => [name, this.valid(one, depth + 1)]));
    const requiredKeys = required.filter((name) => Object.hasOwn(model, name));
    // often all of them, because some conditions need two
    const declared = this.isExample ? fc.record(model) : fc.oneof(fc.record(model, { requiredKeys }), fc.record(model));
    const { additionalProperties } = schema;
    if (typeof additionalProperties !== "object" || additionalProperties === null) return declared;
    const least = Number(schema.minProperties ?? 0);
    const values = this.valid(additionalProperties as JsonSchema, depth + 1);
    const words = fc.string({ unit: fc.constantFrom(..."abcxyz"), minLength: 1, maxLength: 8 });
    const keys = fc.oneof(words, fc.constantFrom(...oddKeys));
    return fc.dictionary(keys, values, {
      minKeys: least,
      maxKeys: Math.max(least, Math.min(Number(schema.maxProperties ?? 3), 3)),
    });
  }
}

/** The JSON types that it allows; none when it does not say. */
export function typesOf({ type }: JsonSchema): readonly string[] {
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

/** Whether its value is the content of a file. */
export function isFile(schema: JsonSchema): boolean {
  return "contentMediaType" in schema || schema.format === "binary";
}

/** Whether it is a text of any form. */
export function isFreeText(schema: JsonSchema): boolean {
  return typesOf(schema).includes("string") && !["format", "pattern", "enum", "const"].some((name) => name in schema);
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

const wholeLimits = [2 ** 31 - 1, 2 ** 31, -(2 ** 31), -(2 ** 31) - 1, 2 ** 32]; // those of columns and bit operations

/** The numbers at which conditions change: around zero, the ends of the range and their neighbours, and 32 bits. */
function boundaries(least: number, most: number, step: number): number[] {
  const all = [0, 1, -1, least, least + step, most - step, most, ...wholeLimits];
  return [...new Set(all)].filter((value) => value >= least && value <= most);
}
