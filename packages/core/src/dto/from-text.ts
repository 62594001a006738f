import type { ReadOptions } from "./field.ts";

const decimal = /^\s*[+-]?(\d+(\.\d*)?|\.\d+)\s*$/;

/** Decimal digits only: Number() also takes 1e2, 0x10 and Infinity, which no one types into a form. */
export function toNumber(input: unknown): unknown {
  return typeof input === "string" && decimal.test(input) ? Number(input) : input;
}

export function toBoolean(input: unknown): unknown {
  if (input === "true" || input === "1" || input === "on") return true;
  if (input === "false" || input === "0" || input === "off") return false;
  return input;
}

/** In a form, one value is a list of one: a comma belongs to the text. */
export function toList(input: unknown, { fromText, fromForm }: ReadOptions): unknown {
  if (!fromText || Array.isArray(input)) return input;
  if (fromForm === true) return [input];
  return typeof input === "string" ? input.split(",") : input;
}
