import { describeValue, type Problem, StartError } from "../errors.ts";
import { durationCure, toMilliseconds } from "./duration.ts";
import { findNearest } from "./nearest.ts";

/** What is wrong with a value, as sentences after the name of its option: `is 0. It takes …`. Undefined when nothing is. */
export type Check = ((value: unknown) => string | readonly string[] | undefined) & { readonly isRequired?: boolean };

/** By name, what each option takes; a table for an option that is an object of options. */
export interface OptionChecks {
  readonly [name: string]: Check | OptionChecks;
}

/** The checks of `T`, all of them: an option that is added to the type and not to the table does not compile. */
export type OptionTable<T> = { readonly [Name in keyof T]-?: Check | OptionChecks };

/**
 * Stops the start with every fault of an options object. `owner` is the function as messages name it: `cors()`. `rules`
 * are about several options, and are read when each of them is valid: the message of a rule that is broken, or false.
 */
export function checkOptions<T extends object>(
  owner: string,
  options: T,
  table: OptionTable<T>,
  rules: () => readonly (string | false)[] = () => [],
): void {
  const faults = findFaults(owner, options, table);
  const all = faults.length > 0 ? faults : rules().filter((message) => message !== false);
  if (all.length > 0) throw new StartError(all.map(toProblem));
}

/** The same faults, to be reported with others. */
export function findBadOptions<T extends object>(owner: string, options: T, table: OptionTable<T>): Problem[] {
  return findFaults(owner, options, table).map(toProblem);
}

/** Stops the start: something was called with what it cannot work with. */
export function refuseOption(message: string): never {
  throw new StartError([toProblem(message)]);
}

function toProblem(message: string): Problem {
  return { code: "BAD_OPTION", message };
}

function findFaults(owner: string, options: unknown, table: OptionChecks, path = ""): string[] {
  const place = path === "" ? owner : `${path} of ${owner}`;
  const names = Object.keys(table);
  if (typeof options !== "object" || options === null || Array.isArray(options))
    return [`${place} was given ${describeValue(options)} for its options. It takes { ${names.join(", ")} }.`];
  const unknown = explainUnknownNames(options, names);
  const faults = Object.entries(table).flatMap(([name, check]) => {
    const value = (options as Record<string, unknown>)[name]; // any object can be read by name
    if (value === undefined && check.isRequired !== true) return [];
    const inner = path === "" ? name : `${path}.${name}`;
    if (typeof check !== "function") return findFaults(owner, value, check, inner);
    return [check(value) ?? []].flat().map((fault) => `${inner} of ${owner} ${fault}`);
  });
  return unknown === undefined ? faults : [`${place} has no option ${unknown}`, ...faults];
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

/** What options take. A value of undefined is valid, unless the option is required. */
export const takes = {
  /** A value that is checked where it is used. */
  anything: (() => undefined) as Check, // a function without a property
  flag: that((value) => typeof value === "boolean", "It takes true or false."),
  callback: that((value) => typeof value === "function", "It takes a function."),
  text: that((value) => typeof value === "string", "It takes a text."),
  list: that(Array.isArray, "Write a list: [ … ]."),
  /** A pattern of paths. With the flag g or y it would remember the last path. */
  pattern: that(
    (value) => value instanceof RegExp && !value.global && !value.sticky,
    "It takes a pattern without the flags g and y.",
  ),
  that,
  required: (check: Check): Check => Object.assign((value: unknown) => check(value), { isRequired: true }),
  wholeNumber: (least: number, most = Number.POSITIVE_INFINITY) =>
    number(least, most, Number.isSafeInteger, "a whole number"),
  number: (least: number, most = Number.POSITIVE_INFINITY) =>
    number(least, most, (value) => typeof value === "number", "a number"),
  /** A text that no message quotes. */
  secret:
    (bytes: number, cure: string): Check =>
    (value) => {
      const given = typeof value === "string" ? Buffer.byteLength(value) : 0;
      return given >= bytes ? undefined : `has ${given} bytes. At least ${bytes} are needed. ${cure}`;
    },
  match: (pattern: RegExp, cure: string) => that((value) => typeof value === "string" && pattern.test(value), cure),
  oneOf: (values: readonly unknown[]) => that((value) => values.includes(value), `It takes ${join(values)}.`),
  /** The shortest that is allowed, in milliseconds. Defaults to 0. */
  duration: (least = 0) => that((value) => (toMilliseconds(value) ?? -1) >= least, durationCure),
  /** Names every item that is wrong. */
  listOf:
    (isItem: (item: unknown) => boolean, cure: string): Check =>
    (value) => {
      const wrong = Array.isArray(value) ? value.filter((item) => !isItem(item)) : [];
      return wrong.length === 0 ? takes.list(value) : `has ${wrong.map(show).join(", ")}. ${cure}`;
    },
};

function join(values: readonly unknown[]): string {
  return `${values.slice(0, -1).map(show).join(", ")} or ${show(values.at(-1))}`;
}

function show(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (value instanceof RegExp || typeof value === "number" || typeof value === "boolean") return String(value);
  return describeValue(value);
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
