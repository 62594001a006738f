import { follow, get, getEntries, getList, isObject, type JsonObject } from "./document.ts";

/** What of a field is sent as JSON: its value, or each item of its list, which repeats the name. */
type JsonPart = "value" | "items";
export type JsonField = readonly [name: string, part: JsonPart];

/** Keywords that do not restrict a value. */
const notes = new Set(
  "title description default example examples deprecated readOnly writeOnly externalDocs $comment".split(" "),
);

/** The fields of a form that have no text of their own: those of any value, and objects. */
export function toJsonFields(document: JsonObject, schema: unknown): JsonField[] {
  const parts = new Map<unknown, JsonPart | undefined>();
  return [...readProperties(document, schema, new Set())].flatMap(([name, property]): JsonField[] => {
    const part = toJsonPart(document, property, parts);
    return part === undefined ? [] : [[name, part]];
  });
}

function* readProperties(document: JsonObject, schema: unknown, seen: Set<unknown>): Generator<[string, unknown]> {
  const found = follow(document, schema);
  if (seen.has(found)) return; // it contains itself
  seen.add(found);
  for (const part of getList(found, "allOf")) yield* readProperties(document, part, seen);
  yield* getEntries(found, "properties");
}

/** `parts` are those of the schemas before, and ends the recursion of a schema that contains itself. */
function toJsonPart(
  document: JsonObject,
  schema: unknown,
  parts: Map<unknown, JsonPart | undefined>,
): JsonPart | undefined {
  const found = follow(document, schema);
  if (found === true) return "value";
  if (!isObject(found)) return undefined;
  if (parts.has(found)) return parts.get(found);
  parts.set(found, undefined);
  const part = findJsonPart(found, (inner) => toJsonPart(document, inner, parts));
  parts.set(found, part);
  return part;
}

function findJsonPart(schema: JsonObject, toPart: (schema: unknown) => JsonPart | undefined): JsonPart | undefined {
  if (Object.keys(schema).every((keyword) => notes.has(keyword) || keyword.startsWith("x-"))) return "value";
  const types = [get(schema, "type")].flat().filter((type) => type !== "null");
  if (types.length === 1 && types[0] === "object") return "value";
  if ("items" in schema && (types[0] === undefined || (types.length === 1 && types[0] === "array"))) {
    return toPart(get(schema, "items")) === undefined ? undefined : "items";
  }
  const options = [...getList(schema, "anyOf"), ...getList(schema, "oneOf"), ...getList(schema, "allOf")];
  const found = new Set(options.filter((option) => get(option, "type") !== "null").map(toPart));
  return found.size === 1 ? [...found][0] : undefined;
}
