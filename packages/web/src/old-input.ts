import type { Issue } from "@tenon/core";
import { isSecretName } from "@tenon/core/platform";
import type { FormValues } from "./page.ts";

/** A form that failed, for the page that shows it again. */
export interface OldForm {
  readonly old: FormValues;
  readonly issues: readonly Issue[];
}

const mostBytes = 64 * 1024;
const mostIssueBytes = 16 * 1024;
/** Shorter ones stand in any sentence by chance. */
const shortestQuote = 4;

/** What may be kept of a form: no secrets, and at most 64 KiB, of which the largest fields go first. */
export function toOldForm(values: FormValues, issues: readonly Issue[]): OldForm {
  const secrets = Object.keys(values)
    .filter(isSecretName)
    .flatMap((name) => values[name] ?? [])
    .filter((secret) => secret.length >= shortestQuote);
  const keptIssues = keepIssues(issues, secrets);
  const fields = Object.keys(values)
    .filter((name) => !isSecretName(name))
    .map((name) => ({ name, bytes: sizeOf([name, values[name]]) }))
    .sort((left, right) => left.bytes - right.bytes);
  let left = mostBytes - sizeOf(keptIssues);
  const old: Record<string, string | readonly string[]> = Object.create(null); // a field may be called __proto__
  for (const { name, bytes } of fields) {
    left -= bytes;
    if (left < 0) break;
    old[name] = values[name] ?? "";
  }
  return { old, issues: keptIssues };
}

/** Some schemas quote what they were given. */
function keepIssues(issues: readonly Issue[], secrets: readonly string[]): Issue[] {
  const kept: Issue[] = [];
  let left = mostIssueBytes;
  for (const { path, rule, message } of issues) {
    const quotes = secrets.some((secret) => message.includes(secret));
    const issue = { path, rule, message: quotes ? "is not valid" : message };
    left -= sizeOf(issue);
    if (left < 0) break;
    kept.push(issue);
  }
  return kept;
}

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
