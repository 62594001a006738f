import { Field, type Kind, type ReadOptions } from "./field.ts";
import { addKey, type FoundIssue, maxIssues, report } from "./found-issue.ts";
import type { IsPresent } from "./infer.ts";
import { reportUnstorable } from "./scalars.ts";
import { type PlainTag, plainTags } from "./tags.ts";

export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };

/** Deeper values could exhaust the stack. Bodies have the same limit by default. */
const maxDepth = 64;

/** Any JSON value, null included. From a flag, a query or a form it is read as JSON text. */
export function json<const Tags extends readonly PlainTag[]>(
  ...tags: Tags
): Field<JsonValue, IsPresent<Tags>, JsonValue | object> {
  const kind: Kind<JsonValue> = {
    name: "json",
    grammar: plainTags,
    textForm: "json",
    read: (input, issues, options) => {
      const text = options.fromText && typeof input === "string" ? input : undefined;
      const value = text === undefined ? copy(input, issues, options, 1) : readText(text, issues, options);
      return value as JsonValue; // not used when there is an issue
    },
    compileSelect: () => (value) => (typeof value === "function" ? undefined : value),
    toSchema: () => ({}),
    keepsEmpty: ({ fromText }) => !fromText,
    keepsNull: true,
  };
  return new Field<JsonValue, IsPresent<Tags>, JsonValue | object>(kind, tags);
}

function readText(text: string, issues: FoundIssue[], options: ReadOptions): unknown {
  try {
    return copy(JSON.parse(text), issues, options, 1);
  } catch {
    report(issues, "json", "must be JSON"); // the message of JSON.parse quotes the text, so it is not passed on
    return undefined;
  }
}

/** Without `__proto__` keys, which a careless merge would follow. */
function copy(value: unknown, issues: FoundIssue[], options: ReadOptions, depth: number): unknown {
  if (typeof value === "string") reportUnstorable(value, issues);
  else if (typeof value === "object" && value !== null) return copyObject(value, issues, options, depth);
  else if (!isJsonScalar(value)) report(issues, "json", "must be a JSON value");
  return value;
}

function isJsonScalar(value: unknown): boolean {
  return value === null || typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value));
}

function copyObject(value: object, issues: FoundIssue[], options: ReadOptions, depth: number): unknown {
  if (depth > maxDepth) {
    report(issues, "json", `is nested deeper than ${maxDepth}`);
    return undefined;
  }
  const list = Array.isArray(value);
  const copied: Record<string, unknown> | unknown[] = list ? [] : {};
  for (const [key, item] of Object.entries(value)) {
    if (issues.length >= maxIssues) break;
    if (key === "__proto__" || (item === undefined && options.returned === true)) continue;
    const start = issues.length;
    if (!list) reportUnstorable(key, issues);
    const entry = copy(item, issues, options, depth + 1);
    if (issues.length > start) addKey(list ? Number(key) : key, issues, start);
    (copied as Record<string, unknown>)[key] = entry; // the keys of a list are its indexes
  }
  return copied;
}
