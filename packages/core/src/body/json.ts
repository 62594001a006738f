import { mediaTypeOf } from "@tenon/server/internal";

/** JSON text, or an error that says which kind of value cannot be written as JSON. */
export function toJson(value: unknown): string {
  const text = JSON.stringify(value);
  if (text === undefined) throw new TypeError(`a value of type ${typeof value} cannot be written as JSON`);
  return text;
}

/** `application/json`, also `application/problem+json` and the like, with any parameters. Absent counts as JSON. */
export function isJson(contentType: string): boolean {
  if (contentType === "" || contentType === "application/json") return true;
  const type = mediaTypeOf(contentType);
  return type === "application/json" || (type.startsWith("application/") && type.endsWith("+json"));
}
