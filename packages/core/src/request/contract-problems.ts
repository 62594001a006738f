import { Dto } from "../schema/dto.ts";
import type { Field } from "../schema/field.ts";
import { hasFile, type JsonSchema } from "../schema/json-schema.ts";
import { describeValue } from "../support/errors.ts";
import { explainUnknownNames, namesOf } from "../support/options.ts";
import { type Contract, isContent, isSchema, type MiddlewareContract, returnsByStatus, toBody } from "./contract.ts";
import type { Method } from "./handler.ts";

const names = namesOf<Contract>({
  summary: true,
  description: true,
  operationId: true,
  tags: true,
  deprecated: true,
  access: true,
  hidden: true,
  params: true,
  query: true,
  headers: true,
  body: true,
  returns: true,
  errors: true,
  responds: true,
  live: true,
});
const middlewareNames = namesOf<MiddlewareContract>({
  security: true,
  optional: true,
  policy: true,
  covers: true,
  errors: true,
  headers: true,
  methods: true,
  sets: true,
});

export interface DeclaredRoute {
  readonly method: Method | undefined;
  /** The names of the parameters in its path. */
  readonly params: readonly string[];
}

/** What would leave a route unchecked, and what no request can have, each the end of a sentence about its contract. */
export function findContractProblems(contract: Contract, route: DeclaredRoute): string[] {
  const unknown = explainUnknownNames(contract, names);
  if (unknown !== undefined) return [`has an unknown key: ${unknown}`];
  const { params, headers, returns, errors, responds = {} } = contract;
  const unknownResponse = explainUnknownNames(responds, ["headers", "cookies"]);
  if (unknownResponse !== undefined) return [`has an unknown key in \`responds\`: ${unknownResponse}`];
  return [
    ...fieldsOf(headers)
      .filter((name) => name !== name.toLowerCase())
      .map((name) => `declares the header "${name}". Write it in lower case: "${name.toLowerCase()}".`),
    ...(params instanceof Dto ? findParamProblems(fieldsOf(params), route.params) : []),
    ...findUnsendable(contract, route.method),
    ...findResultProblems(returns),
    ...findErrorProblems(errors),
  ];
}

/** What is wrong with the contract of a middleware, each the end of a sentence about it. */
export function findMiddlewareProblems(contract: MiddlewareContract): string[] {
  const unknown = explainUnknownNames(contract, middlewareNames);
  return unknown === undefined ? findErrorProblems(contract.errors) : [`has an unknown key: ${unknown}`];
}

function fieldsOf(schema: unknown): string[] {
  return schema instanceof Dto ? Object.keys(schema.fields) : [];
}

function findParamProblems(declared: readonly string[], params: readonly string[]): string[] {
  const unknown = declared.filter((name) => !params.includes(name));
  const missing = params.filter((name) => name !== "*" && !declared.includes(name));
  return [
    ...unknown.map((name) => `declares the parameter "${name}", which the path does not have.`),
    ...missing.map((name) => `has \`params\` without "${name}", which is in the path.`),
  ];
}

/** Text has no place for objects, only a form has files, and these methods have no body. */
function findUnsendable({ params, query, headers, body }: Contract, method: Method | undefined): string[] {
  if (method === undefined) return []; // a command reads objects from standard input
  const { kind, schema } = toBody(body) ?? {};
  if (body !== undefined && kind === undefined) return [`has ${describeValue(body)} as its body. Use a schema.`];
  const isBodiless = kind !== undefined && ["GET", "HEAD", "OPTIONS"].includes(method);
  if (isBodiless) return [`declares a body, which a ${method} request does not have. Use \`query\`.`];
  const texts = Object.entries({ params, query, headers, form: kind === "form" ? schema : undefined });
  const problemsIn = (part: string, value: unknown, isRefused: (schema: JsonSchema) => boolean, cure: string) =>
    Object.entries<Field>(value instanceof Dto ? value.fields : {})
      .filter(([, field]) => isRefused(field.toSchema("input")))
      .map(([name]) => `declares "${name}" in its ${part}, where no client can send ${cure}`);
  return [
    ...texts.flatMap(([part, value]) =>
      problemsIn(part, value, isObject, "an object. Use json(), which reads JSON from a text."),
    ),
    ...problemsIn("JSON body", body, hasFile, "a file. Use body: { form: … }."),
  ];
}

function isObject({ type, items = [], oneOf = [], anyOf = [] }: JsonSchema): boolean {
  const parts = [items, oneOf, anyOf].flat() as readonly JsonSchema[]; // by JSON Schema
  return [type].flat().includes("object") || parts.some(isObject);
}

function findResultProblems(returns: Contract["returns"]): string[] {
  const declared = Object.entries(returnsByStatus(returns));
  if (returns !== undefined && declared.length === 0) return [`returns ${describeValue(returns)}. Use a schema.`];
  return declared.flatMap(([status, schema]) => {
    if (!isStatus(status, 200, 399)) return `returns "${status}". It takes a status from 200 to 399.`;
    if (schema === null || ((isSchema(schema) || isContent(schema)) && status !== "204" && status !== "304")) return [];
    return `returns ${describeValue(schema)} with ${status}. Use a schema, or null for no body, as for 204 and 304.`;
  });
}

function findErrorProblems(errors: Contract["errors"] = {}): string[] {
  return Object.entries(errors).flatMap(([status, declared]) => {
    if (!isStatus(status, 400, 599)) return `declares the error "${status}". It takes a status from 400 to 599.`;
    const messages: unknown[] = [declared].flat();
    if (isSchema(declared) || (messages.length > 0 && messages.every((message) => typeof message === "string")))
      return [];
    return `declares ${describeValue(declared)} for the error ${status}. Use a message, a list of them, or a schema.`;
  });
}

function isStatus(text: string, least: number, most: number): boolean {
  return Number.isInteger(Number(text)) && Number(text) >= least && Number(text) <= most;
}
