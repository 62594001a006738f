import type { RequestLimits } from "../body/body-reader.ts";
import { refuseType } from "../body/body-reader.ts";
import { isJson, parseJson } from "../body/json.ts";
import { BindError, type Issue } from "../errors.ts";
import type { Incoming, RequestView } from "../request.ts";
import { Dto } from "./dto.ts";
import { Field, type ReadOptions } from "./field.ts";
import { convertText } from "./foreign-text.ts";
import { type InferOutput, type Schema, toIssue } from "./standard-schema.ts";
import { cleanse, type FoundIssue, toIssues } from "./text.ts";

/** What `ctx.bind()` validates. */
export interface Input extends ReadOptions {
  readonly value: unknown;
}

/** The body as JSON. Any other content type is refused. */
export async function readJsonInput(incoming: Incoming, request: RequestView, limits: RequestLimits): Promise<Input> {
  const type = incoming.header("content-type") ?? "";
  if (!isJson(type)) refuseType(type);
  return { value: parseJson(await request.body(), limits), fromText: false };
}

/** The body as a form, with its files. */
export async function readFormInput(request: RequestView): Promise<Input> {
  return { value: (await request.form()).toInput(), fromText: true, fromForm: true };
}

/** Returns the value of a DTO or a field at once; only a schema of another library may return a promise. */
export function validate<S extends Schema>(schema: S, input: Input): InferOutput<S> | Promise<InferOutput<S>> {
  if (!(schema instanceof Dto || schema instanceof Field)) return validateByStandard(schema, input);
  const issues: FoundIssue[] = [];
  const value: unknown = schema.parse(input.value, issues, input);
  if (issues.length > 0) throw new BindError(toIssues(issues));
  return value;
}

async function validateByStandard<S extends Schema>(schema: S, input: Input): Promise<InferOutput<S>> {
  const issues: FoundIssue[] = [];
  cleanse(input.value, issues);
  if (issues.length > 0) throw new BindError(toIssues(issues));
  const value = input.fromText ? convertText(schema, input.value, input) : input.value;
  const result = await schema["~standard"].validate(value);
  if (result.issues !== undefined)
    throw new BindError(result.issues.map((issue) => withoutValue(toIssue(issue), value)));
  return result.value;
}

/** Some libraries quote the input in their messages, which may be a password. */
function withoutValue(issue: Issue, input: unknown): Issue {
  let value = input;
  for (const key of issue.keys ?? []) value = (value as Record<string, unknown> | undefined)?.[key];
  return quotes(issue.message, value) ? { ...issue, message: "is invalid" } : issue;
}

function quotes(message: string, value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.values(value).some((item) => quotes(message, item));
  const given = value === undefined || value === null ? "" : String(value);
  if (given === "" || given.length > message.length) return false;
  const text = RegExp.escape(given);
  return new RegExp(`(?<![\\p{L}\\p{N}])${text}(?![\\p{L}\\p{N}])`, "u").test(message); // not the "x" of "expected"
}
