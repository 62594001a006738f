import { StartError } from "../errors.ts";

/** Stops the start: a factory was called with something it cannot work with. */
export function refuseOption(message: string): never {
  throw new StartError([{ code: "BAD_OPTION", message }]);
}

export function checkWholeNumber(name: string, value: number, least: number): void {
  if (Number.isSafeInteger(value) && value >= least) return;
  refuseOption(`${name} is ${String(value)}. It takes a whole number from ${least}.`);
}

/** A misspelt option would be ignored, and what it was meant to do would silently not happen. */
export function checkNames(factory: string, options: object, known: readonly string[]): void {
  const unknown = Object.keys(options).filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  refuseOption(`${factory}() has no option ${unknown.join(", ")}. It takes ${known.join(", ")}.`);
}
