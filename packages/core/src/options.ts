import { describeValue, StartError } from "./errors.ts";
import { findNearest } from "./nearest.ts";

/** Stops the start: something was called with what it cannot work with. */
export function refuseOption(message: string): never {
  throw new StartError([{ code: "BAD_OPTION", message }]);
}

export function checkWholeNumber(name: string, value: number, least: number): void {
  if (Number.isSafeInteger(value) && value >= least) return;
  refuseOption(`${name} is ${String(value)}. It takes a whole number from ${least}.`);
}

/** `taker` as a sentence names it: `cors()`. */
export function checkNames(taker: string, options: object, known: readonly string[]): void {
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    refuseOption(`${taker} was given ${describeValue(options)} for its options. It takes { ${known.join(", ")} }.`);
  }
  const unknown = explainUnknownNames(options, known);
  if (unknown !== undefined) refuseOption(`${taker} has no option ${unknown}`);
}

/** The names of `T`, all of them: one that is added to the type and not to the list does not compile. */
export function namesOf<T>(names: Readonly<Record<keyof T, true>>): readonly string[] {
  return Object.keys(names);
}

/**
 * Undefined when every name in a record is known, else the end of a sentence about the others.
 * A misspelt name would be ignored, and what it was meant to do would silently not happen.
 */
export function explainUnknownNames(record: object, known: readonly string[]): string | undefined {
  const unknown = Object.keys(record).filter((name) => !known.includes(name));
  if (unknown.length === 0) return undefined;
  const guesses = unknown.map((name) => {
    const near = findNearest(name, known);
    return near === undefined ? name : `${name} (did you mean ${near}?)`;
  });
  return `${guesses.join(", ")}. It takes ${known.join(", ")}.`;
}
