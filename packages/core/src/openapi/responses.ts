import { mediaTypeOf } from "@tenon/server/internal";
import {
  type Contract,
  type DeclaredErrors,
  errorsByStatus,
  isContent,
  isSchema,
  type MiddlewareContract,
  returnsByStatus,
} from "../request/contract.ts";
import type { ErrorFormat } from "../request/error-format.ts";
import type { Field } from "../schema/field.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import { type Components, digestOf } from "./components.ts";

/** What operations share. */
export interface DocumentTools {
  readonly components: Components;
  readonly errors: ErrorFormat;
  /** The name of a status: `Not Found`. */
  readonly reasonOf: (status: number) => string;
  /** Whether a JSON body may be sent as a form too. */
  readonly readsForms: boolean;
}

export interface MediaType {
  readonly schema: JsonSchema;
}

export interface ResponseObject {
  readonly description: string;
  readonly headers?: Readonly<Record<string, HeaderObject>>;
  readonly content?: Readonly<Record<string, MediaType>>;
}

interface HeaderObject {
  readonly description?: string;
  readonly required?: boolean;
  readonly schema: JsonSchema;
}

const undeclared: ResponseObject = { description: "This endpoint does not declare what it returns." };

/** What a client may get, by status. */
export function toResponses(
  contract: Contract | undefined,
  contracts: readonly MiddlewareContract[],
  tools: DocumentTools,
): Record<string, ResponseObject> {
  const { components, reasonOf } = tools;
  const responses: Record<string, ResponseObject> = {};
  const headers = toHeaders(contract?.responds);
  for (const [status, declared] of Object.entries(returnsByStatus(contract?.returns))) {
    const response = { description: reasonOf(Number(status)), ...headers };
    if (isSchema(declared)) {
      responses[status] = { ...response, content: toJson(components.toSchema(declared, "output")) };
    } else if (isContent(declared)) {
      responses[status] = { ...response, content: toContent([declared.content].flat()) };
    } else responses[status] = response;
  }
  for (const [status, error] of errorsByStatus(contract ?? {}, contracts, tools.errors)) {
    responses[status] = toErrorResponse(status, error, tools);
  }
  return contract?.returns === undefined ? { ...responses, default: undeclared } : responses;
}

/** OpenAPI has one header for all cookies. */
function toHeaders({ headers = {}, cookies = {} }: Contract["responds"] = {}): Pick<ResponseObject, "headers"> {
  const written = Object.entries(headers).map(([name, declared]) => [name, toHeader(declared)] as const);
  const texts = Object.entries(cookies).map(([name, text]) => `\`${name}\`: ${text}`);
  const cookie: HeaderObject = { description: texts.join("\n\n"), schema: { type: "string" } };
  const all = Object.fromEntries([...written, ...(texts.length === 0 ? [] : [["set-cookie", cookie] as const])]);
  return Object.keys(all).length === 0 ? {} : { headers: all };
}

function toHeader(declared: string | Field): HeaderObject {
  if (typeof declared === "string") return { description: declared, schema: { type: "string" } };
  return { ...(declared.required ? { required: true } : {}), schema: declared.toSchema("output") };
}

/** Bytes, or text where the media type says so. */
export function toContent(types: readonly string[]): Record<string, MediaType> {
  return Object.fromEntries(
    types.map((type) => {
      const isText = /^text\/|[/+](?:json|xml|yaml)(?:$|;)/i.test(type);
      return [type, { schema: { type: "string", ...(isText ? {} : { format: "binary" }) } }];
    }),
  );
}

export function toJson(schema: JsonSchema): Record<string, MediaType> {
  return { "application/json": { schema } };
}

function toErrorResponse(status: number, { messages, schemas }: DeclaredErrors, tools: DocumentTools): ResponseObject {
  const { components, errors: format, reasonOf } = tools;
  const bodies = [...schemas].map((schema): [string, JsonSchema] => [
    "application/json",
    components.toSchema(schema, "output"),
  ]);
  if (messages.size > 0) {
    const schema = toErrorSchema(status, [...messages].sort(), tools);
    bodies.push([mediaTypeOf(format.type), components.addTitled(schema)]);
  }
  const content = [...Map.groupBy(bodies, ([media]) => media)].map(([media, list]) => {
    const [first = {}, ...others] = list.map(([, schema]) => schema);
    return [media, { schema: others.length === 0 ? first : { anyOf: [first, ...others] } }] as const;
  });
  const description = messages.size === 0 ? reasonOf(status) : [...messages].join("; ");
  return { description, content: Object.fromEntries(content) };
}

/**
 * With a title, which names its component: `PostNotFoundError`. It depends on this error alone, so that other routes never
 * change it: where two texts could have one name, it has a digest. A format with one schema for all errors names it.
 */
function toErrorSchema(
  status: number,
  messages: readonly string[],
  { errors: format, reasonOf }: DocumentTools,
): JsonSchema {
  const schema: JsonSchema = format.toSchema(status, messages);
  const isSame = (other: JsonSchema) => JSON.stringify(other) === JSON.stringify(schema);
  const unused = 599;
  const { title: ending = "Error" } = schema;
  if ("title" in schema && isSame(format.toSchema(unused, []))) return schema;
  const reason = reasonOf(status);
  const isOwn = (message: string) =>
    message === reason || (sentence.test(message) && toPascal(message) !== toPascal(reason));
  const name = messages.every(isOwn) ? messages.map(toPascal).join("Or") : toPascal(reason);
  const dependsOnStatus = !isSame(format.toSchema(unused, messages));
  const end = messages.every(isOwn) ? (dependsOnStatus ? status : "") : `_${digestOf([status, messages])}`;
  return { ...schema, title: `${name.replace(/Error$/, "")}${String(ending)}${end}` };
}

/** A text whose words no other such text has. */
const sentence = /^[A-Z][a-z0-9]*(?: [a-z0-9]+)*$/;

/** `PostNotFound` for "Post not found". */
function toPascal(text: string): string {
  const words = text.split(/[^A-Za-z0-9]+/);
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}
