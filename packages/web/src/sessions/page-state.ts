import type { Issue } from "@tenon/core";
import { isSecretInput } from "@tenon/core/internal";

export interface FlashMessage {
  readonly kind: string;
  readonly text: string;
}

export type FormValues = Readonly<Record<string, string | readonly string[]>>;

/** A form that failed, for the page that shows it again. */
export interface OldForm {
  readonly old: FormValues;
  readonly issues: readonly Issue[];
}

/** What a session keeps for the next page. */
export interface PageState {
  readonly flash: readonly FlashMessage[];
  readonly form?: OldForm | undefined;
}

export const emptyPageState: PageState = Object.freeze({ flash: [] });

/** Messages add up; of two forms the later one is shown. */
export function addToPage(page: PageState, added: PageState): PageState {
  return { flash: [...page.flash, ...added.flash], form: added.form ?? page.form };
}

const mostIssueBytes = 16 * 1024;
/** Shorter secrets occur in any message by chance. */
const shortestQuote = 4;

/** What may be kept of a form: no secrets, and at most `mostBytes`, of which the largest fields are dropped first. */
export function toOldForm(values: FormValues, issues: readonly Issue[], mostBytes: number): OldForm {
  const secrets = Object.keys(values)
    .filter(isSecretInput)
    .flatMap((name) => values[name] ?? [])
    .filter((secret) => secret.length >= shortestQuote);
  const keptIssues = keepIssues(issues, secrets, Math.min(mostIssueBytes, mostBytes / 2));
  const fields = Object.keys(values)
    .filter((name) => !isSecretInput(name))
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

/** Some schemas quote the value in their message: a message that quotes a secret is replaced. */
function keepIssues(issues: readonly Issue[], secrets: readonly string[], mostBytes: number): Issue[] {
  const kept: Issue[] = [];
  let left = mostBytes;
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
