import type { JsonSchema } from "@tenon/core";
import { type Arbitraries, propertiesOf, typesOf } from "../arbitrary.ts";
import type { Operation, Parameter } from "../operation.ts";

/** Where the id of an object can go in a request. */
export interface Place {
  readonly in: "path" | "query" | "body";
  /** The parameter, or the keys that lead to a field of the body; "0" is the first item of a list. */
  readonly keys: readonly string[];
  readonly isRequired: boolean;
  /** Whether it is a list of ids. */
  readonly isList: boolean;
  /** Whether a number has to be sent as a text. */
  readonly isText: boolean;
  /** The noun of its objects by its name, in the singular: `project`; empty for a plain `id` or `ids`. */
  readonly noun: string;
}

const idName = /^(?:id|uuid|key|slug)s?$|_(?:id|uuid|key|slug)s?$|[a-z](?:Id|Uuid|Key|Slug)s?$/;
const topicName = /^(?:topic|channel|room)s?$/i;

/** `tasks` → `task`, `entries` → `entry`, `project_members` → `project_member`. */
export function toSingular(word: string): string {
  const lower = word.toLowerCase().replaceAll("-", "_");
  if (lower.endsWith("ies")) return `${lower.slice(0, -3)}y`;
  if (/(?:ss|us)$/.test(lower)) return lower;
  return lower.replace(/(?<=(?:ch|sh|x|ss))es$|s$/, "");
}

/** The last fixed segment of a path: `/projects/{id}/tasks` → `task`. */
export function toNoun(path: string): string {
  return toSingular(toNouns(path)[0] ?? "");
}

/** The fixed segments of a path, the last one first. */
export function toNouns(path: string): string[] {
  const segments = path.split("/").filter((segment) => segment !== "" && !segment.startsWith("{"));
  return segments.map((segment) => segment.replace(/\.\w+$/, "")).reverse();
}

function nounOf(name: string): string {
  const stem = name.replace(/(?:^|_)(?:id|uuid|key|slug)s?$|(?:Id|Uuid|Key|Slug)s?$/, "");
  return toSingular(stem.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`));
}

export function isIdName(name: string): boolean {
  return idName.test(name);
}

export function isCursor({ in: place, keys }: Place): boolean {
  return place === "query" && /cursor|after|before|page_?token/i.test(keys[0] ?? "");
}

/** The length of a page. */
export function isLimit(name: string): boolean {
  return /^(?:limit|per_?page|page_?size|size|take)$/i.test(name);
}

export function isTopic({ keys }: Place): boolean {
  return topicName.test(keys.at(-1) ?? "");
}

export function labelOf(place: Place): string {
  if (place.in === "path") return `:${place.keys[0]}`;
  return `${place.in} ${place.keys.filter((key) => key !== "0").join(".")}${place.isList ? "[]" : ""}`;
}

/** The places of an operation, those of the path first, from the outside in. */
export function findPlaces(operation: Operation, arbitraries: Arbitraries): Place[] {
  const inPath = [...operation.path.matchAll(/\{([^}]+)\}([^{]*)/g)].flatMap(([, name = ""], index, all): Place[] => {
    const before = index === 0 ? operation.path.split("{")[0] : all[index - 1]?.[2];
    const { schema = {} } = operation.parameters.find((one) => one.in === "path" && one.name === name) ?? {};
    if ("enum" in schema) return [];
    const noun = nounOf(isIdName(name) ? name : `${name}_id`);
    const isPlain = /^(?:id|uuid|key|slug)$/.test(name);
    return [
      {
        in: "path",
        keys: [name],
        isRequired: true,
        isList: false,
        isText: false,
        noun: isPlain ? toNoun(before ?? "") : noun,
      },
    ];
  });
  const inQuery = operation.parameters.filter((one) => one.in === "query").flatMap(toQueryPlace);
  const schema = operation.body?.schema;
  return [...inPath, ...inQuery, ...(schema === undefined ? [] : findInBody(schema, arbitraries, [], true))];
}

function toQueryPlace({ name, schema, required = false }: Parameter): Place[] {
  const place = toPlace("query", [name], schema, required);
  return isIdLike(name, schema) || isCursor(place) || isTopic(place) ? [place] : [];
}

function isIdLike(name: string, schema: JsonSchema): boolean {
  const { format, items } = schema as { readonly format?: unknown; readonly items?: JsonSchema }; // by JSON Schema
  if ("enum" in schema || typesOf(schema).includes("boolean")) return false;
  return isIdName(name) || format === "uuid" || items?.format === "uuid";
}

function toPlace(at: Place["in"], keys: readonly string[], schema: JsonSchema, isRequired: boolean): Place {
  const name = keys.at(-1) ?? "";
  const isList = typesOf(schema).includes("array");
  const isText = typesOf(isList ? ((schema.items ?? {}) as JsonSchema) : schema).includes("string"); // by JSON Schema
  return { in: at, keys, isRequired, isList, isText, noun: nounOf(name) };
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
    const isNeeded = isRequired && required.includes(name);
    const place = toPlace("body", [...keys, name], field, isNeeded);
    if (isIdLike(name, field) || isTopic(place)) return [place];
    const items = arbitraries.resolve((field.items ?? {}) as JsonSchema); // by JSON Schema
    const isListOfObjects = typesOf(field).includes("array") && Object.keys(propertiesOf(items)).length > 0;
    return findInBody(
      isListOfObjects ? items : field,
      arbitraries,
      [...keys, name, ...(isListOfObjects ? ["0"] : [])],
      isNeeded,
    );
  });
}

/** A copy of a value in which the keys lead to another one; lists and objects on the way are made. */
export function replaceAt(value: unknown, [key, ...rest]: readonly string[], replaced: unknown): unknown {
  if (key === undefined) return replaced;
  if (key === "0") {
    const list = Array.isArray(value) ? (value as readonly unknown[]) : [];
    return [replaceAt(list[0], rest, replaced), ...list.slice(1)];
  }
  const whole = (typeof value === "object" && value !== null ? value : {}) as Readonly<Record<string, unknown>>; // checked
  return { ...whole, [key]: replaceAt(whole[key], rest, replaced) };
}
