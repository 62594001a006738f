import type { Issue } from "../errors.ts";

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

/** Why some store cannot keep a text; undefined when every store can. */
export function findTextFault(text: string): string | undefined {
  if (text.includes("\0")) return "contains U+0000";
  return text.isWellFormed() ? undefined : "is not well-formed Unicode";
}

/**
 * For schemas of other libraries: reports texts that a store cannot keep, keys included, and removes own `__proto__`
 * keys, which a careless merge would follow.
 */
export function cleanse(value: unknown, issues: FoundIssue[]): void {
  if (typeof value === "string") reportFault(value, issues);
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return; // the bytes of a file are no keys
  if (Object.hasOwn(value, "__proto__")) Reflect.deleteProperty(value, "__proto__");
  for (const [key, item] of Object.entries(value)) {
    if (issues.length >= maxIssues) return;
    const start = issues.length;
    reportFault(key, issues);
    cleanse(item, issues);
    addKey(Array.isArray(value) ? Number(key) : key, issues, start);
  }
}

export function reportFault(text: string, issues: FoundIssue[]): void {
  const message = findTextFault(text);
  if (message !== undefined) report(issues, "text", message);
}

/** The limit of issues for one input: a list may have a million wrong items. */
export const maxIssues = 100;
