/** JSON text, or an error that says which kind of value cannot be written as JSON. */
export function toJson(value: unknown): string {
  return JSON.stringify(value) ?? refuseNonJson(value);
}

/** Functions and symbols, of which `JSON.stringify()` makes undefined. */
export function refuseNonJson(value: unknown): never {
  throw new TypeError(`a value of type ${typeof value} cannot be written as JSON`);
}
