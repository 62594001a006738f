import type { ReadOptions } from "./field.ts";

export function toNumber(input: unknown): unknown {
  return typeof input === "string" && input.trim() !== "" ? Number(input) : input;
}

export function toBoolean(input: unknown): unknown {
  if (input === "true" || input === "1" || input === "on") return true;
  if (input === "false" || input === "0") return false;
  return input;
}

/** In a form, one value is a list of one: a comma belongs to the text. */
export function toList(input: unknown, { fromText, fromForm }: ReadOptions): unknown {
  if (!fromText || Array.isArray(input)) return input;
  if (fromForm === true) return [input];
  return typeof input === "string" ? input.split(",") : input;
}
