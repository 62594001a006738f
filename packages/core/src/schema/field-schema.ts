import type { Direction, JsonSchema } from "./standard-schema.ts";
import type { ParsedTags, Rule } from "./tags.ts";

interface FieldNotes {
  readonly isText: boolean;
  readonly required: boolean;
  readonly nullable: boolean;
  readonly defaultValue: unknown;
  readonly description: string;
  readonly examples: readonly unknown[];
}

/** The JSON Schema of a field: `base` is that of its kind. */
export function toFieldSchema(
  { isText, required, nullable, defaultValue, description, examples }: FieldNotes,
  { rules, trim, lower }: ParsedTags,
  base: JsonSchema,
  direction: Direction,
): JsonSchema {
  const schema = addRules(base, rules);
  if (direction === "input" && isText && required && !schema.minLength && !schema.enum) {
    schema.minLength = 1;
  }
  const whole = nullable ? orNull(schema) : schema;
  if (direction === "input" && defaultValue !== undefined) whole.default = defaultValue;
  const changes = [trim ? "White space around it is removed." : "", lower ? "It is put into lower case." : ""];
  const sentences = [description, ...toSentences(rules), ...changes];
  const text = sentences.filter((sentence) => sentence !== "").join(" ");
  if (text !== "") whole.description = text;
  if (examples.length > 0) whole.examples = JSON.parse(JSON.stringify(examples)); // dates become text
  return whole;
}

function addRules(base: JsonSchema, rules: readonly Rule[]): Record<string, unknown> {
  const schema: Record<string, unknown> = { ...base };
  const others: JsonSchema[] = [];
  for (const { keywords } of rules) {
    for (const [keyword, value] of Object.entries(keywords)) {
      if (Object.hasOwn(schema, keyword)) others.push({ [keyword]: value });
      else schema[keyword] = value;
    }
  }
  if (others.length > 0) schema.allOf = others;
  return schema;
}

/** The rules of which the keywords say less. */
function toSentences(rules: readonly Rule[]): string[] {
  const messages = rules.filter(({ inexact }) => inexact === true).map(({ message }) => message);
  return messages.map((message) => `${message.charAt(0).toUpperCase()}${message.slice(1)}.`);
}

function orNull(schema: Record<string, unknown>): Record<string, unknown> {
  if (Object.keys(schema).length === 0) return schema; // it allows null already
  const { type, enum: values } = schema;
  if (typeof type !== "string" || "const" in schema) return { anyOf: [schema, { type: "null" }] };
  return { ...schema, type: [type, "null"], ...(Array.isArray(values) ? { enum: [...values, null] } : {}) };
}
