import { durationCure, toMilliseconds } from "./duration.ts";
import { describeValue, type Problem, StartError } from "./errors.ts";
import { findNearest } from "./nearest.ts";

/** What is wrong with a value, after the name of its option: `is 0. It takes …`. Undefined when nothing is. */
export type Check = (value: unknown) => string | undefined;

/** Every name that an options object may have. With `true`, the compiler alone checks the value. */
export interface OptionChecks {
  readonly [name: string]: true | Check | OptionChecks;
}

/** The names of `T`, all of them: an option that is added to the type and not to the table does not compile. */
export type OptionTable<T> = { readonly [Name in keyof T]-?: true | Check | OptionChecks };

/** Stops the start for unknown names, and for values that no type excludes. `owner` is the function: `cors()`. */
export function checkOptions<T extends object>(owner: string, options: T, table: OptionTable<T>): void {
  const problems = findProblems(owner, options, table);
  if (problems.length > 0) throw new StartError(problems.map(toProblem));
}

/** Stops the start: something was called with what it cannot work with. */
export function refuseOption(...messages: readonly string[]): never {
  throw new StartError(messages.map(toProblem));
}

function toProblem(message: string): Problem {
  return { code: "BAD_OPTION", message };
}

function findProblems(owner: string, options: unknown, table: OptionChecks, path = ""): string[] {
  const given: Readonly<Record<string, unknown>> = Object(options); // plain JavaScript can pass anything
  const unknown = explainUnknownNames(given, Object.keys(table));
  const problems = Object.entries(table).flatMap(([name, check]) => {
    const value = given[name];
    if (value === undefined || check === true) return [];
    if (typeof check !== "function")
      return typeof value === "object" ? findProblems(owner, value, check, `${path}${name}.`) : [];
    const problem = check(value);
    return problem === undefined ? [] : [`${path}${name} of ${owner} ${problem}`];
  });
  const place = path === "" ? owner : `${path.slice(0, -1)} of ${owner}`;
  return unknown === undefined ? problems : [`${place} has no option ${unknown}`, ...problems];
}

/** A check, and the sentence that says what to write instead. */
function that(isValid: (value: unknown) => boolean, cure: string): Check {
  return (value) => (isValid(value) ? undefined : `is ${show(value)}. ${cure}`);
}

function number(least: number, most: number, isKind: (value: unknown) => boolean, kind: string): Check {
  const range = Number.isFinite(most) ? `from ${least} to ${most}` : `from ${least}`;
  const isValid = (value: unknown) => isKind(value) && Number(value) >= least && Number(value) <= most;
  return that(isValid, `It takes ${kind} ${range}.`);
}

/** Checks of what a type cannot say. NaN as a limit would allow everything. */
export const takes = {
  that,
  wholeNumber: (least: number, most = Number.POSITIVE_INFINITY) =>
    number(least, most, Number.isSafeInteger, "a whole number"),
  number: (least: number, most = Number.POSITIVE_INFINITY) => number(least, most, Number.isFinite, "a number"),
  /** `least` is the shortest that is allowed, in milliseconds. */
  duration: (least = 0) => that((value) => (toMilliseconds(value) ?? -1) >= least, durationCure),
  match: (pattern: RegExp, cure: string) => that((value) => typeof value === "string" && pattern.test(value), cure),
  listOf: (isItem: (item: unknown) => boolean, cure: string) =>
    that((value) => Array.isArray(value) && value.every(isItem), cure),
};

function show(value: unknown): string {
  if (typeof value === "number") return String(value);
  return typeof value === "string" || Array.isArray(value) ? JSON.stringify(value) : describeValue(value);
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
