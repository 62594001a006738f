import type { Issue } from "../support/errors.ts";

/** An issue while the input is read. The caller of a reader adds its own key in front, see `addKey`. */
export interface FoundIssue {
  readonly keys: (string | number)[];
  readonly rule: string;
  readonly message: string;
}

export function report(issues: FoundIssue[], rule: string, message: string): void {
  issues.push({ keys: [], rule, message });
}

/** Adds the key of a field or an item to the issues that its value has caused: those from `start` on. */
export function addKey(key: string | number, issues: readonly FoundIssue[], start: number): void {
  for (const { keys } of issues.slice(start)) keys.unshift(key);
}

export function toIssues(issues: readonly FoundIssue[]): Issue[] {
  return issues.map(({ keys, rule, message }) => ({ path: keys.join("."), keys, rule, message }));
}

/** The limit of issues for one input: a list may have a million wrong items. */
export const maxIssues = 100;
