import { isSecretName, redacted } from "../log/log-redact.ts";
import type { Field } from "../schema/dto.ts";
import type { FoundIssue } from "../schema/found-issue.ts";

/** A variable of the environment, and the property that holds its value. */
export interface Variable {
  readonly name: string;
  readonly key: string;
  readonly field: Field;
}

/** Why the text of a variable is refused; undefined text for one that is not set. Never shows what may be a secret. */
export function explainProblem(
  { name, field }: Variable,
  text: string | undefined,
  issues: readonly FoundIssue[],
): string {
  const rules = text === undefined ? field.rules() : issues.map(({ message }) => message);
  const cure = field.examples.length > 0 ? `takes for example ${field.examples.join(" or ")}` : rules.join(" and ");
  const sentence = cure === "" ? "" : ` It ${cure}.`;
  if (text === undefined) return `${name} is not set.${sentence}`;
  const hidden = field.isSecret || isSecretName(name) || mayHoldPassword(name, text);
  return hidden ? `${name} ${cure}.` : `${name} is ${JSON.stringify(text)}.${sentence}`;
}

export function toItems(text: string): string[] {
  return text.split(",").flatMap((item) => item.trim() || []);
}

/** A mistyped URL cannot be parsed, so its password cannot be cut out. */
function mayHoldPassword(name: string, text: string): boolean {
  return /UR[LI]S?$|DSNS?$/.test(name) || text.includes("@");
}

/** A value as it may be logged. */
export function toShown(value: unknown, hidden: boolean): unknown {
  if (value === undefined || value === null) return value;
  if (hidden) return redacted;
  if (Array.isArray(value)) return value.map((item) => hidePassword(item));
  return hidePassword(value);
}

function hidePassword(value: unknown): unknown {
  if (typeof value !== "string" || !value.includes("://")) return value;
  return value
    .replace(/^([^/?#]*:\/\/[^/?#:@]*):.*@/s, `$1:${redacted}@`)
    .replaceAll(/([?&]([^=&#]*)=)[^&#]*/g, (pair, start, name) => (isSecretName(name) ? `${start}${redacted}` : pair));
}
