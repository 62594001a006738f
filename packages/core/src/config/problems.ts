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
  const accepted = describeAccepted(field);
  if (text === undefined) return `${name} is not set.${toSentence(accepted, field.rules())}`;
  const hidden = field.isSecret || isSecretName(name) || mayHoldPassword(name, text);
  const [item] = issues.map(({ keys }) => keys[0]).filter((key) => typeof key === "number");
  const [example] = field.examples;
  if (item !== undefined && example !== undefined) {
    const given = hidden ? "a value" : JSON.stringify(toItems(text)[item]);
    return `${name} has ${given}. Write for example ${String(example)}.`;
  }
  const cure = toSentence(
    accepted,
    issues.map(({ message }) => message),
  );
  return hidden ? `${name}${cure.replace(/^ It/, "")}` : `${name} is ${JSON.stringify(text)}.${cure}`;
}

function toSentence(accepted: string | undefined, rules: readonly string[]): string {
  if (accepted !== undefined) return ` It takes ${accepted}.`;
  return rules.length === 0 ? "" : ` It ${rules.join(" and ")}.`;
}

/** What a variable takes, where a few words say it: `a whole number from 0 to 65535`. */
function describeAccepted(field: Field): string | undefined {
  const { type, enum: values, const: only, minimum, maximum, pattern } = field.toSchema("input");
  if (pattern !== undefined && field.examples.length > 0) return toAlternatives(field.examples);
  if (Array.isArray(values)) return toAlternatives(values.filter((value) => value !== null));
  if (only !== undefined) return String(only);
  if (field.textForm === "switch") return "on or off";
  const kind = { integer: "whole number", number: "number" }[String([type].flat()[0])];
  if (kind === undefined) return undefined;
  const range = [minimum === undefined ? "" : ` from ${minimum}`, maximum === undefined ? "" : ` to ${maximum}`];
  return `a ${kind}${range.join("")}`;
}

function toAlternatives(values: readonly unknown[]): string {
  return [values.slice(0, -1).join(", "), values.at(-1)].filter((part) => part !== "").join(" or ");
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
