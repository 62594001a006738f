import { type Contract, isContent, isSchema, type MiddlewareContract, returnsByStatus, toBody } from "../contract.ts";
import { Dto } from "../dto/dto.ts";
import { Field } from "../dto/field.ts";
import { findStreamedField } from "../dto/file.ts";
import type { JsonSchema } from "../dto/json-schema.ts";
import { describeValue } from "../errors.ts";
import type { Method } from "../route.ts";
import { explainUnknownNames, namesOf } from "../support/options.ts";

const names = namesOf<Contract>({
  summary: true,
  description: true,
  operationId: true,
  tags: true,
  deprecated: true,
  public: true,
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

export interface DeclaredRoute {
  readonly method: Method | undefined;
  /** The names of the parameters in its path. */
  readonly params: readonly string[];
}

/** What is wrong with a contract, each the end of a sentence about it. TypeScript finds most of it before. */
export function findContractFaults(contract: Contract, { method, params }: DeclaredRoute): string[] {
  const unknown = explainUnknownNames(contract, names);
  if (unknown !== undefined) return [`has an unknown key: ${unknown}`];
  return [
    ...findTextFaults(contract),
    ...findPartFaults(contract),
    ...findParamFaults(contract.params, params),
    ...findHeaderFaults(contract.headers),
    ...findFieldFaults(contract, method),
    ...findBodyFaults(contract, method),
    ...findStatusFaults(contract),
    ...findRespondedFaults(contract.responds),
  ];
}

function findTextFaults(contract: Contract): string[] {
  const { summary, description, operationId, tags = [], deprecated, public: isPublic, hidden } = contract;
  const faults: string[] = [];
  if (operationId !== undefined && !/^[A-Za-z_][\w.]*$/.test(operationId)) {
    faults.push(`has ${describeValue(operationId)} as its operationId. Write words with dots, such as "posts.show".`);
  }
  for (const [name, value] of Object.entries({ summary, description })) {
    if (value !== undefined && typeof value !== "string") faults.push(`has ${describeValue(value)} as its ${name}.`);
  }
  if (!Array.isArray(tags) || tags.some((tag) => typeof tag !== "string" || tag === "")) {
    faults.push(`has ${describeValue(tags)} as its tags. Write a list of names.`);
  }
  for (const [name, value] of Object.entries({ deprecated, public: isPublic, hidden })) {
    if (value !== undefined && typeof value !== "boolean") faults.push(`has a \`${name}\` that is not a boolean.`);
  }
  return faults;
}

function findPartFaults(contract: Contract): string[] {
  return (["params", "query", "headers"] as const).flatMap((part) => {
    const schema: unknown = contract[part];
    if (schema === undefined || isSchema(schema)) return [];
    return [`has ${describeValue(schema)} as its ${part}. Use dto({ … }) or another schema.`];
  });
}

function findParamFaults(schema: Contract["params"], params: readonly string[]): string[] {
  if (!(schema instanceof Dto)) return [];
  const declared = Object.keys(schema.fields);
  return [
    ...declared
      .filter((name) => !params.includes(name))
      .map((name) => `declares the parameter "${name}", which the path does not have.`),
    ...params
      .filter((name) => name !== "*" && !declared.includes(name))
      .map((name) => `has \`params\` without "${name}", which is in the path.`),
  ];
}

function findHeaderFaults(schema: Contract["headers"]): string[] {
  if (!(schema instanceof Dto)) return [];
  const upper = Object.keys(schema.fields).filter((name) => name !== name.toLowerCase());
  return upper.map((name) => `declares the header "${name}". Write it in lower case: "${name.toLowerCase()}".`);
}

function findRespondedFaults(responds: Contract["responds"] = {}): string[] {
  const unknown = explainUnknownNames(responds, ["headers", "cookies"]);
  if (unknown !== undefined) return [`has an unknown key in \`responds\`: ${unknown}`];
  const { headers = {}, cookies = {} } = responds;
  return [
    ...Object.keys(headers)
      .filter((name) => name !== name.toLowerCase())
      .map((name) => `responds with the header "${name}". Write it in lower case: "${name.toLowerCase()}".`),
    ...Object.entries(headers)
      .filter(([, declared]) => typeof declared !== "string" && !(declared instanceof Field))
      .map(([name, declared]) => `has ${describeValue(declared)} for the header "${name}". Use a text or a field.`),
    ...Object.entries(cookies)
      .filter(([, text]) => typeof text !== "string")
      .map(([name, text]) => `has ${describeValue(text)} for the cookie "${name}". Say what it holds.`),
  ];
}

/** Text has no place for objects, and only a multipart form has files. */
function findFieldFaults({ params, query, headers, body }: Contract, method: Method | undefined): string[] {
  const faultsIn = (part: string, schema: unknown, isRefused: (field: Field) => boolean) =>
    Object.entries<Field>(schema instanceof Dto ? schema.fields : {})
      .filter(([, field]) => isRefused(field))
      .map(([name, { kind }]) => `declares "${name}" in its ${part}, where no client can send ${describeKind(kind)}.`);
  if (method === undefined) return []; // a command reads objects from standard input
  const texts = Object.entries({ params, query, headers });
  const { kind, schema, required } = toBody(body) ?? {};
  const form = kind === "form" ? schema : undefined;
  return [
    ...texts.flatMap(([part, schema]) => faultsIn(part, schema, (field) => isFile(field) || holdsObjects(field))),
    ...faultsIn("JSON body", body, isFile),
    ...(form === undefined ? [] : [...faultsIn("form", form, holdsObjects), ...findVariantFaults(form)]),
    ...findStreamFaults(form, required === false),
  ];
}

/** The same for a form that is a union. */
function findVariantFaults(schema: unknown): string[] {
  if (!(schema instanceof Field)) return [];
  const { oneOf = [] } = schema.toSchema("input");
  return (oneOf as readonly JsonSchema[]).flatMap(({ properties }) =>
    Object.entries(properties as Readonly<Record<string, JsonSchema>>) // as above
      .filter(([, property]) => isObject(property))
      .map(([name]) => `declares "${name}" in its form, where no client can send an object.`),
  );
}

/** Where a file is streamed, the rest of the form comes first and is in memory. */
function findStreamFaults(form: unknown, isOptional: boolean): string[] {
  if (!(form instanceof Dto)) return [];
  const streamed = findStreamedField(form.fields);
  if (streamed === undefined) return [];
  const files = Object.values<Field>(form.fields).filter((field) => isFile(field) || holdsFiles(field));
  const { name, max } = streamed;
  return [
    ...(files.length > 1
      ? [`streams "${name}" and declares another file. A form with a streamed file has no other.`]
      : []),
    ...(Number.isNaN(max) ? [`streams "${name}" without a limit. Add "max=" with a number of bytes.`] : []),
    ...(isOptional ? [`streams "${name}" in a form that may be absent. Write body: { form: … }.`] : []),
  ];
}

function holdsFiles(field: Field): boolean {
  const { items } = field.toSchema("input");
  return field.kind === "array" && (items as JsonSchema | undefined)?.format === "binary";
}

function isFile({ kind }: Field): boolean {
  return kind === "file";
}

/** Whether it is an object or a list of them. */
function holdsObjects(field: Field): boolean {
  return isObject(field.toSchema("input"));
}

function isObject({ type, items = [], oneOf = [], anyOf = [] }: JsonSchema): boolean {
  const parts = [items, oneOf, anyOf].flat() as readonly JsonSchema[]; // by JSON Schema
  return [type].flat().includes("object") || parts.some(isObject);
}

function describeKind(kind: string): string {
  if (kind === "file") return "a file. Use body: { form: … }";
  return kind === "array" ? "objects" : "an object";
}

const guardNames = namesOf<MiddlewareContract>({
  security: true,
  optional: true,
  policy: true,
  errors: true,
  methods: true,
  sets: true,
});
const schemeTypes = ["http", "apiKey", "openIdConnect"];

/** What is wrong with the contract of a middleware, each the end of a sentence about it. */
export function findGuardFaults(contract: MiddlewareContract): string[] {
  const unknown = explainUnknownNames(contract, guardNames);
  if (unknown !== undefined) return [`has an unknown key: ${unknown}`];
  const schemes = Object.entries(contract.security ?? {}).filter(
    ([name, scheme]) => !/^[\w.-]+$/.test(name) || !schemeTypes.includes(scheme.type),
  );
  return [
    ...schemes.map(
      ([name]) =>
        `declares the security scheme "${name}". Names have no spaces, and types are ${schemeTypes.join(", ")}.`,
    ),
    ...findErrorFaults(contract.errors),
  ];
}

const withoutBody: readonly unknown[] = ["GET", "HEAD", "OPTIONS"];

function findBodyFaults({ body }: Contract, method: Method | undefined): string[] {
  if (body === undefined) return [];
  const known = toBody(body);
  if (known === undefined) {
    const forms = '{ form: … }, { optional: … } or { content: "text/csv" }';
    return [`has ${describeValue(body)} as its body. Use dto({ … }), another schema, ${forms}.`];
  }
  const [type] = known.types.filter((name) => !mediaType.test(name));
  if (type !== undefined)
    return [`has { content: "${type}" } as its body. Name a whole media type, such as "text/csv".`];
  return withoutBody.includes(method)
    ? [`declares a body, which a ${method} request does not have. Use \`query\`.`]
    : [];
}

const mediaType = /^[\w.+-]+\/[\w.+-]+(\s*;.*)?$/;

function findStatusFaults({ returns, errors }: Contract): string[] {
  const faults: string[] = [];
  if (returns !== undefined && Object.keys(returnsByStatus(returns)).length === 0) {
    faults.push(`returns ${describeValue(returns)}. Use a schema, schemas by status, or { 204: null } for no body.`);
  }
  for (const [status, schema] of Object.entries(returnsByStatus(returns))) {
    if (!isStatus(status, 200, 399)) faults.push(`returns "${status}". It takes a status from 200 to 399.`);
    else if (schema !== null && !isSchema(schema) && !isContent(schema)) {
      faults.push(
        `returns ${describeValue(schema)} with ${status}. Use a schema, { content: "text/csv" }, or null for no body.`,
      );
    } else if (schema !== null && (status === "204" || status === "304")) {
      faults.push(`declares a body for ${status}, which has none. Write ${status}: null.`);
    }
  }
  return [...faults, ...findErrorFaults(errors)];
}

function findErrorFaults(errors: Contract["errors"] = {}): string[] {
  const faults: string[] = [];
  for (const [status, declared] of Object.entries(errors)) {
    if (!isStatus(status, 400, 599)) faults.push(`declares the error "${status}". It takes a status from 400 to 599.`);
    else if (!isSchema(declared) && !isMessages(declared)) {
      faults.push(
        `declares ${describeValue(declared)} for the error ${status}. Use a message, a list of them, or a schema.`,
      );
    }
  }
  return faults;
}

function isStatus(text: string, least: number, most: number): boolean {
  return /^\d{3}$/.test(text) && Number(text) >= least && Number(text) <= most;
}

function isMessages(declared: unknown): boolean {
  const messages: unknown[] = [declared].flat();
  return messages.length > 0 && messages.every((message) => typeof message === "string" && message !== "");
}
