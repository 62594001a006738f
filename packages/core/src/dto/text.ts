import type { Issue } from "../errors.ts";

/** Why a text cannot be kept by every store; undefined when it can. */
export function findTextFault(text: string): string | undefined {
  if (text.includes("\0")) return "contains U+0000";
  return text.isWellFormed() ? undefined : "is not well-formed Unicode";
}

/**
 * For input that goes to somebody else's schema: reports texts that a store cannot keep, keys included, and removes own
 * `__proto__` keys, which a careless merge would follow.
 */
export function cleanse(value: unknown, path: string, issues: Issue[]): void {
  if (typeof value === "string") reportFault(value, path, issues);
  if (typeof value !== "object" || value === null) return;
  if (Object.hasOwn(value, "__proto__")) Reflect.deleteProperty(value, "__proto__");
  for (const [key, item] of Object.entries(value)) {
    if (issues.length >= maxIssues) return;
    const itemPath = path === "" ? key : `${path}.${key}`;
    reportFault(key, itemPath, issues);
    cleanse(item, itemPath, issues);
  }
}

function reportFault(text: string, path: string, issues: Issue[]): void {
  const message = findTextFault(text);
  if (message !== undefined) issues.push({ path, rule: "text", message });
}

/** A list of a million wrong items is told in so many issues. */
export const maxIssues = 100;
