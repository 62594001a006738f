import type { JsonSchema } from "@tenon/core/platform";
import type { TestHttpApp, TestRequestOptions } from "@tenon/core/testing";
import { allowsAnything, isFile, mediaTypeOf } from "./arbitrary.ts";
import type { DeclaredBody, Operation } from "./operation.ts";

export interface FuzzedRequest {
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  /** Whether its path parameters are those of the option `params`. */
  readonly isKnown: boolean;
  /** What breaks its schema: `the body`, `the query parameter "limit"`; undefined for a valid request. */
  readonly invalid: string | undefined;
}

/** The path and the query of a request. */
export function toTarget(
  { parameters, path }: Pick<Operation, "path" | "parameters">,
  { params, query }: Pick<FuzzedRequest, "params" | "query">,
): string {
  const segments = new Map(toPairs(parameters, "path", params));
  const filled = path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => toSegment(segments.get(name) ?? ""));
  const pairs = toPairs(parameters, "query", query);
  return pairs.length === 0 ? filled : `${filled}?${new URLSearchParams(pairs)}`;
}

function toPairs(
  parameters: Operation["parameters"],
  place: string,
  values: Readonly<Record<string, unknown>>,
): [name: string, text: string][] {
  return parameters
    .filter(({ name, in: at }) => at === place && Object.hasOwn(values, name))
    .flatMap(({ name, schema }) => toTexts(schema, values[name]).map((text): [string, string] => [name, text]));
}

/** Sends a request as a client encodes it. */
export async function send(
  app: TestHttpApp,
  operation: Operation,
  { params, query, headers, body }: FuzzedRequest,
  given: Readonly<Record<string, string>> | undefined,
): Promise<Response> {
  const texts = toPairs(operation.parameters, "header", headers).map(([name, text]) => [name, toHeader(text)]);
  const { headers: type, ...sent } = toSent(operation, body);
  const all = { ...Object.fromEntries(texts), ...given, ...type };
  return app.request(
    operation.method as Parameters<TestHttpApp["request"]>[0],
    toTarget(operation, { params, query }),
    { ...sent, headers: all },
  );
}

/** A header takes visible characters only, of which JSON and dates need their own. */
function toHeader(text: string): string {
  return text.replace(/[^\x21-\x7e]/gu, encodeURIComponent);
}

/** An empty segment, "." and ".." would lead to another path. */
function toSegment(text: string): string {
  return /^\.{0,2}$/.test(text) ? "x" : encodeURIComponent(text);
}

function toSent({ body: declared }: Operation, body: unknown): TestRequestOptions {
  if (declared === undefined || body === undefined) return {};
  const headers = { "content-type": declared.type };
  if (isJson(declared.type)) return { headers, body: JSON.stringify(body) };
  if (!declared.type.includes("form")) return { headers, body: String(body) };
  const fields = toFormFields(declared, body);
  if (declared.type.startsWith("multipart/")) return { body: toFormData(fields) };
  const texts = Map.groupBy(fields, ({ name }) => name);
  return { headers, form: Object.fromEntries([...texts].map(([name, all]) => [name, all.map(({ text }) => text)])) };
}

/** As a query or a form has it: an item of a list is a value of its own, and null cannot be sent. */
function toTexts(schema: JsonSchema = {}, value: unknown): string[] {
  if (allowsAnything(schema)) return [JSON.stringify(value)];
  const items = [value].flat().filter((item) => item !== null);
  return items.map((item) => (typeof item === "object" ? JSON.stringify(item) : toText(item)));
}

/** Texts have no exponents. */
function toText(value: unknown): string {
  const text = String(value);
  if (typeof value !== "number" || !text.includes("e")) return text;
  return Number.isInteger(value) ? String(BigInt(value)) : value.toFixed(20);
}

interface FormField {
  readonly name: string;
  readonly text: string;
  /** Undefined where the field is not a file. */
  readonly file: { readonly name: string; readonly type: string } | undefined;
}

/** The fields of a form in their order; an item of a list is one of its own. */
export function toFormFields({ fields }: Pick<DeclaredBody, "fields">, body: unknown): FormField[] {
  const values = Object.entries(body as Record<string, unknown>); // a form has fields
  return values.flatMap(([name, value]) => {
    const schema = fields[name] ?? {};
    const found = [schema, (schema.items ?? {}) as JsonSchema].find(isFile); // one file or a list of them
    // files of one name would be one file where the name is the id
    const toFile = (text: string) =>
      found && { name: /^\w{1,50}$/.test(text) ? text : "file", type: mediaTypeOf(found) };
    return toTexts(schema, value).map((text) => ({ name, text, file: toFile(text) }));
  });
}

function toFormData(fields: readonly FormField[]): FormData {
  const form = new FormData();
  for (const { name, text, file } of fields) {
    if (file === undefined) form.append(name, text);
    else form.append(name, new Blob([text], { type: file.type }), file.name);
  }
  return form;
}

export function isJson(type: string): boolean {
  return type.includes("json");
}
