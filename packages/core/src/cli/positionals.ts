import { Dto, type Field } from "../schema/dto.ts";
import type { Schema } from "../schema/standard-schema.ts";
import type { Pattern } from "../support/pattern.ts";

/** A placeholder in a command: `<id>`. */
export interface Positional {
  /** Which word it is; the words of `*` begin there. */
  readonly index: number;
  /** As help shows it: `<id>`, `<api|web>` for a choice, `<…>` for one word or more. */
  readonly title: string;
  /** The values that it allows; none when it allows any text. */
  readonly choices: readonly string[];
  /** Undefined when the command has no contract for it. */
  readonly declaration: Field | undefined;
}

const longestChoice = 40; // it is on one line of help

export function toPositionals({ params, segments, wildcard }: Pattern, schema: Schema | undefined): Positional[] {
  const fields = schema instanceof Dto ? schema.fields : {};
  const named = params.map(({ name, index }) => {
    const declaration = Object.hasOwn(fields, name) ? fields[name] : undefined;
    const choices = choicesOf(declaration);
    const listed = choices.join("|");
    const title = `<${listed === "" || listed.length > longestChoice ? name : listed}>`;
    return { index, title, choices, declaration };
  });
  return wildcard ? [...named, { index: segments.length, title: "<…>", choices: [], declaration: undefined }] : named;
}

/** The values that a field allows; none when it allows any text. */
export function choicesOf(field: Field | undefined): string[] {
  const { enum: values, const: only } = field?.toSchema("input") ?? {};
  const all = Array.isArray(values) ? values : [only ?? null];
  return all.filter((value) => value !== null).map(String);
}

/** A command for people, from this word on: `posts show <id>`. */
export function toTitle({ segments }: Pattern, positionals: readonly Positional[], from = 0): string {
  const titles = new Map(positionals.map(({ index, title }) => [index, title]));
  const end = Math.max(segments.length, ...positionals.map(({ index }) => index + 1));
  const words = Array.from({ length: end }, (_, index) => segments[index] ?? titles.get(index));
  return words.slice(from).join(" ");
}
