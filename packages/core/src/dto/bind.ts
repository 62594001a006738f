import { isJson, parseJson, refuseType } from "../context/body.ts";
import { csrfField, type Form, isForm } from "../context/form.ts";
import type { RequestLimits } from "../context/limits.ts";
import { BindError, type Issue } from "../errors.ts";
import { Dto, type ReadOptions } from "./dto.ts";
import type { InferOutput, Schema, StandardIssue } from "./standard-schema.ts";
import { cleanse } from "./text.ts";

/** As much of a context as binding needs. */
interface BodySource {
  header(name: string): string;
  request(): { body(): Promise<Uint8Array>; form(): Promise<Form> };
}

/** Validates `fields` when there are any; else reads the body, decodes it by its content type and validates it. */
export async function bind<S extends Schema>(
  schema: S,
  source: BodySource,
  limits: RequestLimits,
  fields?: Readonly<Record<string, string>>,
): Promise<InferOutput<S>> {
  if (fields !== undefined) return validate(schema, { ...fields }, fromText); // a copy: it is cleansed in place
  const type = source.header("content-type");
  if (limits.forms === true && isForm(type)) {
    const fields = (await source.request().form()).toRecord();
    delete fields[csrfField]; // says where the form comes from, and a strict schema would refuse it
    return validate(schema, fields, fromForm);
  }
  if (!isJson(type)) refuseType(type);
  return validate(schema, parseJson(await source.request().body(), limits), fromJson);
}

const fromText: ReadOptions = Object.freeze({ fromText: true });
const fromForm: ReadOptions = Object.freeze({ fromText: true, fromForm: true });
const fromJson: ReadOptions = Object.freeze({ fromText: false });

/** A DTO gives its value at once; only somebody else's schema may make us wait. */
function validate<S extends Schema>(
  schema: S,
  input: unknown,
  options: ReadOptions,
): InferOutput<S> | Promise<InferOutput<S>> {
  if (!(schema instanceof Dto)) return validateByStandard(schema, input);
  const issues: Issue[] = [];
  const value: unknown = schema.parse(input, "", issues, options);
  if (issues.length > 0) throw new BindError(issues);
  return value;
}

async function validateByStandard<S extends Schema>(schema: S, input: unknown): Promise<InferOutput<S>> {
  const issues: Issue[] = [];
  cleanse(input, "", issues);
  if (issues.length > 0) throw new BindError(issues);
  const result = await schema["~standard"].validate(input);
  if (result.issues !== undefined) throw new BindError(result.issues.map(toIssue));
  return result.value;
}

function toIssue(issue: StandardIssue): Issue {
  const path = (issue.path ?? []).map((step) => String(typeof step === "object" ? step.key : step)).join(".");
  return { path, rule: "schema", message: issue.message };
}
