import type { JsonSchema } from "@tenon/core/platform";
import fc from "fast-check";
import { type Arbitraries, isFile, longest, propertiesOf, typesOf } from "./arbitrary.ts";
import { findSchemaIssues } from "./schema-issues.ts";

type Arbitrary = fc.Arbitrary<unknown>;

/** JSON Schema → values that it certainly does not allow: one wrong place, at any depth, in a value that it allows. */
export class InvalidValues {
  readonly #valid: Arbitraries;

  constructor(valid: Arbitraries) {
    this.#valid = valid;
  }

  /** For a JSON body: each is wrong in another way. None where every value is allowed. */
  json(schema: JsonSchema, depth = 0): Arbitrary[] {
    const known = this.#valid.resolve(schema);
    const wrong = this.#constants(known);
    const [fallback] = wrong;
    if (fallback === undefined || depth > deepest || isFile(known)) return [];
    const kinds = Map.groupBy(wrong, (value) => (value === null ? "null" : isOfType(known, value) ? "rule" : "type"));
    const scalars = [...kinds.values()].map((values) => fc.constantFrom(...values));
    const inner = [
      ...this.#members(known, depth),
      ...this.#items(known, depth),
      ...alternativesOf(known).flatMap((one) => this.json(one, depth + 1)),
    ];
    // what is wrong for one alternative may be right for another
    const certain = inner.map((one) => one.map((value) => (this.#isAllowed(known, value) ? fallback : value)));
    return [...scalars, ...certain];
  }

  /** For a parameter or a field of a form, which carry text. Undefined where every text is allowed. */
  text(schema: JsonSchema): Arbitrary | undefined {
    const known = this.#valid.resolve(schema);
    const types = typesOf(known);
    if (isFile(known)) return undefined;
    if (types.includes("array")) {
      const item = this.text((known.items ?? {}) as JsonSchema); // by JSON Schema
      const tooMany = this.#constants(known).filter((value) => Array.isArray(value) && value.length > 0);
      const lists = item === undefined ? [] : [item.map((one) => [one])];
      const all = [...lists, ...(tooMany.length === 0 ? [] : [fc.constantFrom(...tooMany)])];
      return all.length === 0 ? undefined : fc.oneof(...all);
    }
    const isText = types.includes("string") || types.length === 0;
    const texts = this.#constants(known).filter((value) =>
      typeof value === "string" ? value !== "" && (isText || value === word) : typeof value === "number" && !isText,
    );
    // an empty text may count as absent, and numbers are texts
    return texts.length === 0 ? undefined : fc.constantFrom(...texts);
  }

  #isAllowed(schema: JsonSchema, value: unknown): boolean {
    const resolve = (one: JsonSchema) => this.#valid.resolve(one);
    return findSchemaIssues(schema, value, { resolve, isOpen: true }).length === 0;
  }

  /** Values of other types, and those that break one rule. */
  #constants(schema: JsonSchema): unknown[] {
    const { minimum, maximum, minLength = 0, maxLength = longest, minItems = 0, maxItems = longest } = schema;
    const shorter = Math.max(0, Number(minLength) - 1);
    const longer = Number(maxLength) < longest ? [word.charAt(0).repeat(Number(maxLength) + 1)] : [];
    const more = Number(maxItems) < 100 ? [Array.from({ length: Number(maxItems) + 1 }, () => word)] : [];
    const fewer = Number(minItems) > 0 ? [[]] : [];
    const numbers = [
      0.5,
      ...(minimum === undefined ? [] : [Number(minimum) - 1]),
      ...(maximum === undefined ? [] : [Number(maximum) + 1]),
    ];
    const texts = [word, word.charAt(0).repeat(shorter), ...longer, ...malformed];
    return [null, true, ...numbers, ...texts, ...more, ...fewer, { [word]: word }].filter(
      (value) => !this.#isAllowed(schema, value),
    );
  }

  #members(schema: JsonSchema, depth: number): Arbitrary[] {
    const properties = Object.entries(propertiesOf(schema));
    const { additionalProperties: additional } = schema;
    if (properties.length === 0 && typeof additional !== "object") return [];
    const whole = this.#valid.valid({ ...schema, type: "object" }, depth) as fc.Arbitrary<Record<string, unknown>>; // also where null is allowed
    const required = (schema.required ?? []) as readonly string[]; // by JSON Schema
    const others = typeof additional === "object" ? [[word, additional as JsonSchema] as const] : []; // as above
    const replaced = [...properties, ...others].flatMap(([name, one]) =>
      this.json(one, depth + 1).map((invalid) =>
        fc.tuple(whole, invalid).map(([value, wrong]) => ({ ...value, [name]: wrong })),
      ),
    );
    return [...required.map((name) => whole.map((value) => without(value, name))), ...replaced];
  }

  #items(schema: JsonSchema, depth: number): Arbitrary[] {
    if (typeof schema.items !== "object") return [];
    const list = this.#valid.valid({ ...schema, type: "array" }, depth) as fc.Arbitrary<unknown[]>; // likewise
    const values = this.json(schema.items as JsonSchema, depth + 1); // by JSON Schema
    return values.map((invalid) => fc.tuple(list, invalid).map(([items, wrong]) => [...items.slice(1), wrong]));
  }
}

const deepest = 6; // recursive schemas end there
const word = "wrong";
/** Breaks of formats and patterns. */
const malformed = ["!", "0", "2026-02-30", "2026-01-01T25:00:00Z", "a@b", "https://", "00000000-0000"];

function isOfType(schema: JsonSchema, value: unknown): boolean {
  const { type } = schema;
  return type !== undefined && findSchemaIssues({ type }, value).length === 0;
}

function alternativesOf({ oneOf, anyOf }: JsonSchema): readonly JsonSchema[] {
  return (oneOf ?? anyOf ?? []) as readonly JsonSchema[]; // by JSON Schema
}

export function without(value: Readonly<Record<string, unknown>>, name: string): Record<string, unknown> {
  const { [name]: _, ...rest } = value;
  return rest;
}
