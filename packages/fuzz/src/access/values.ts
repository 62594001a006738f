import type { JsonSchema } from "@tenon/core/platform";
import fc from "fast-check";
import { type Arbitraries, isFile, isFreeText, propertiesOf, typesOf } from "../arbitrary.ts";

/** How a body is filled: all fields, those that are required and one text, or by chance. */
export const attempts = 5;
const secret = /password|secret|token/i;

/** Values for the bodies and parameters of one object: free text is its marker. */
export class Values {
  readonly #arbitraries: Arbitraries;
  readonly #marker: string;
  /** Choices between enumerated values and booleans differ from object to object. */
  readonly #turn: number;
  readonly #names: string[] = [];

  constructor(arbitraries: Arbitraries, marker: string, turn: number) {
    this.#arbitraries = arbitraries;
    this.#marker = marker;
    this.#turn = turn;
  }

  /** A value that the schema allows. */
  of(schema: JsonSchema, attempt: number, name = ""): unknown {
    const known = this.#arbitraries.resolve(schema);
    if (attempt > 2) return this.#sample(known, attempt);
    if ("const" in known) return known.const;
    if (Array.isArray(known.enum)) return this.#choose((known.enum as unknown[]).filter((one) => one !== null));
    const alternatives = (known.oneOf ?? known.anyOf) as readonly JsonSchema[] | undefined; // by JSON Schema
    const chosen = alternatives && this.#choose(alternatives.filter((one) => one.type !== "null"));
    if (alternatives !== undefined) return this.of(chosen ?? {}, attempt, name);
    const [type = "object"] = typesOf(known).filter((one) => one !== "null");
    if (type === "string") return this.#text(known, name);
    if (type === "boolean") return this.#turn % 2 === 1;
    if (type === "integer" || type === "number") return toNumber(known, attempt);
    if (type === "array") return this.#list(known, attempt);
    return this.#object(known, attempt);
  }

  #object(schema: JsonSchema, attempt: number): Record<string, unknown> {
    const required = (schema.required ?? []) as readonly string[]; // by JSON Schema
    const fields = Object.entries(propertiesOf(schema));
    const isText = ([name, one]: [string, JsonSchema]) =>
      isFreeText(this.#arbitraries.resolve(one)) && !secret.test(name);
    const text = attempt === 1 ? fields.find(isText)?.[0] : undefined;
    const wanted = fields.filter(
      ([name]) => required.includes(name) || name === text || (attempt === 0 && !secret.test(name)),
    );
    return Object.fromEntries(wanted.map(([name, one]) => [name, this.of(one, attempt, name)]));
  }

  #list(schema: JsonSchema, attempt: number): unknown[] {
    const item = this.of((schema.items ?? {}) as JsonSchema, attempt); // by JSON Schema
    return Array.from({ length: Math.max(1, Number(schema.minItems ?? 0)) }, () => item);
  }

  #text(schema: JsonSchema, name: string): unknown {
    const { format, pattern, minLength = 0, maxLength = 1000 } = schema;
    if (typeof pattern === "string") {
      const isFitting = new RegExp(pattern, "u").test(this.#marker);
      return isFitting ? this.#marker : this.#sample(schema, 0);
    }
    if (isFile(schema)) return this.#marker;
    if (format === "email") return `${this.#marker}@example.com`;
    if (format === "uri") return `https://example.com/${this.#marker}`;
    if (format === "date") return "2030-01-31";
    if (format === "date-time") return "2030-01-31T12:00:00.000Z";
    if (format === "uuid") return this.#sample(schema, 0);
    const text = secret.test(name) ? `Aa1!${this.#marker}` : this.#marker + this.#suffixOf(name);
    return text.padEnd(Number(minLength), text).slice(0, Number(maxLength));
  }

  /** Texts differ, so that one that is a slug too does not look like the others when it is sent. */
  #suffixOf(name: string): string {
    if (!this.#names.includes(name)) this.#names.push(name);
    const index = this.#names.indexOf(name);
    return index === 0 ? "" : `x${index}`;
  }

  #sample(schema: JsonSchema, attempt: number): unknown {
    const seed = Number.parseInt(this.#marker.slice(1), 36) % 2 ** 31;
    return fc.sample(this.#arbitraries.valid(schema), { seed: seed + attempt, numRuns: 1 })[0];
  }

  #choose<T>(values: readonly T[]): T | undefined {
    return values[this.#turn % Math.max(1, values.length)];
  }
}

/** First one that is not likely to be the id of an object. */
function toNumber({ minimum = 0, maximum = 911 }: JsonSchema, attempt: number): number {
  return Math.min(Math.max(attempt === 0 ? 911 : 1, Number(minimum)), Number(maximum));
}
