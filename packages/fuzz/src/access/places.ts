import type { JsonSchema } from "@tenon/core/platform";
import { type Arbitraries, isFile, propertiesOf, typesOf } from "../arbitrary.ts";
import type { Operation } from "../operation.ts";
import { findSchemaIssues } from "../schema-issues.ts";
import { isObject } from "./ids.ts";

/** Where an id may go in a request: a text or a number, or a list of them. */
export interface Place {
  readonly in: "path" | "query" | "body";
  /** The parameter, or the keys that lead to a field of the body; "0" is the first item of a list. */
  readonly keys: readonly string[];
  readonly isRequired: boolean;
  readonly isList: boolean;
  /** The schema of the value, or of an item of the list. */
  readonly schema: JsonSchema;
}

/** The fixed segments of a path. */
export function toSegments(path: string): string[] {
  return path.split("/").filter((segment) => segment !== "" && !segment.startsWith("{"));
}

export function nameOf({ keys }: Place): string {
  return keys.findLast((key) => key !== "0") ?? "";
}

export function isCursor({ in: place, keys }: Place): boolean {
  return place === "query" && /cursor|after|before|page_?token/i.test(keys[0] ?? "");
}

/** The length of a page. */
export function isLimit(name: string): boolean {
  return /^(?:limit|per_?page|page_?size|size|take)$/i.test(name);
}

export function labelOf(place: Place): string {
  if (place.in === "path") return `:${place.keys[0]}`;
  return `${place.in} ${place.keys.filter((key) => key !== "0").join(".")}${place.isList ? "[]" : ""}`;
}

/** The value as the place takes it, a text or a number; undefined where its schema does not allow it. */
export function toFitting({ schema }: Place, value: string | number): string | number | undefined {
  const types = typesOf(schema);
  const isText = types.length === 0 || types.includes("string");
  if (!isText && !/^\d{1,15}$/.test(String(value))) return undefined;
  const fitting = isText ? String(value) : Number(value);
  return findSchemaIssues(schema, fitting).length === 0 ? fitting : undefined;
}

/** The places of an operation, those of the path first, from the outside in. */
export function findPlaces({ path, parameters, body }: Operation, arbitraries: Arbitraries): Place[] {
  const inPath = [...path.matchAll(/\{([^}]+)\}/g)].flatMap(([, name = ""]) => {
    const { schema = {} } = parameters.find((one) => one.in === "path" && one.name === name) ?? {};
    return toPlaces("path", [name], schema, true);
  });
  const inQuery = parameters
    .filter(({ in: at, name }) => at === "query" && !isLimit(name))
    .flatMap(({ name, schema, required = false }) => toPlaces("query", [name], schema, required));
  return [...inPath, ...inQuery, ...(body === undefined ? [] : findInBody(body.schema, arbitraries, [], true))];
}

function toPlaces(at: Place["in"], keys: readonly string[], schema: JsonSchema, isRequired: boolean): Place[] {
  const isList = typesOf(schema).includes("array");
  const one = isList ? ((schema.items ?? {}) as JsonSchema) : schema; // by JSON Schema
  const isScalar = typesOf(one).some((type) => ["string", "integer", "number"].includes(type));
  const isUntyped = at === "path" && typesOf(one).length === 0;
  if ((!isScalar && !isUntyped) || "enum" in one || "const" in one || isFile(one)) return [];
  return [{ in: at, keys, isRequired, isList, schema: one }];
}

const deepest = 3; // keys of a nested place

function findInBody(
  schema: JsonSchema,
  arbitraries: Arbitraries,
  keys: readonly string[],
  isRequired: boolean,
): Place[] {
  const known = arbitraries.resolve(schema);
  if (keys.length > deepest) return [];
  const required = (known.required ?? []) as readonly string[]; // by JSON Schema
  return Object.entries(propertiesOf(known)).flatMap(([name, one]) => {
    const field = arbitraries.resolve(one);
    const items = arbitraries.resolve((field.items ?? {}) as JsonSchema); // by JSON Schema
    const isNeeded = isRequired && required.includes(name);
    const place = toPlaces("body", [...keys, name], "items" in field ? { ...field, items } : field, isNeeded);
    if (place.length > 0) return place;
    const isListOfObjects = typesOf(field).includes("array") && Object.keys(propertiesOf(items)).length > 0;
    const inner = [...keys, name, ...(isListOfObjects ? ["0"] : [])];
    return findInBody(isListOfObjects ? items : field, arbitraries, inner, isNeeded);
  });
}

/** A copy of a value in which the keys lead to another one; lists and objects on the way are made. */
export function replaceAt(value: unknown, [key, ...rest]: readonly string[], replaced: unknown): unknown {
  if (key === undefined) return replaced;
  if (key === "0") {
    const list = Array.isArray(value) ? (value as readonly unknown[]) : [];
    return [replaceAt(list[0], rest, replaced), ...list.slice(1)];
  }
  const whole = (isObject(value) ? value : {}) as Readonly<Record<string, unknown>>; // checked
  return { ...whole, [key]: replaceAt(whole[key], rest, replaced) };
}
