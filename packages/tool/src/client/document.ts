import { HttpError } from "@tenon/core";

/** Part of a document that others wrote: every value is checked where it is read. */
export interface JsonObject {
  readonly [name: string]: unknown;
}

const longestChain = 32;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Own properties only: a component may be named "constructor". */
export function get(value: unknown, ...names: readonly string[]): unknown {
  let found = value;
  for (const name of names) found = isObject(found) && Object.hasOwn(found, name) ? found[name] : undefined;
  return found;
}

export function getText(value: unknown, name: string): string | undefined {
  const text = get(value, name);
  return typeof text === "string" ? text : undefined;
}

export function getList(value: unknown, name: string): readonly unknown[] {
  const list = get(value, name);
  return Array.isArray(list) ? list : [];
}

export function getEntries(value: unknown, ...names: readonly string[]): [name: string, value: unknown][] {
  const object = get(value, ...names);
  return isObject(object) ? Object.entries(object) : [];
}

/** `source` is where the text comes from, for the error. */
export function parseDocument(text: string, source: string): JsonObject {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    throw new HttpError(400, `${source} is not an OpenAPI 3.1 document: it is not JSON`);
  }
  return checkDocument(document, source);
}

export function checkDocument(document: unknown, source: string): JsonObject {
  const version = getText(document, "openapi");
  if (isObject(document) && version?.startsWith("3.1.") === true) return document;
  const reason = version === undefined ? 'it has no "openapi" field' : `its version is ${JSON.stringify(version)}`;
  throw new HttpError(400, `${source} is not an OpenAPI 3.1 document: ${reason}`);
}

/** The value that a `$ref` points to, through several of them; the value itself without one. */
export function follow(document: JsonObject, value: unknown): unknown {
  let found = value;
  for (let step = 0; step < longestChain; step++) {
    const ref = getText(found, "$ref");
    if (ref === undefined) return found;
    found = get(document, ...toPointer(ref));
    if (found === undefined) throw new HttpError(400, `the document has no ${ref}, which it refers to`);
  }
  throw new HttpError(400, `the document refers in a circle: ${getText(value, "$ref")}`);
}

/** The name of a component; undefined for a reference to any other place. */
export function toSchemaName(ref: string): string | undefined {
  const [first, second, name, ...rest] = toPointer(ref);
  return first === "components" && second === "schemas" && rest.length === 0 ? name : undefined;
}

function toPointer(ref: string): string[] {
  if (!ref.startsWith("#/"))
    throw new HttpError(400, `${ref} is outside the document: bundle the document into one file`);
  const words = ref.slice(2).split("/");
  return words.map((word) => decode(word).replaceAll("~1", "/").replaceAll("~0", "~"));
}

function decode(word: string): string {
  try {
    return decodeURIComponent(word);
  } catch {
    return word; // a per cent sign of its own
  }
}
