import { Body, type Contract, isSchema, type MiddlewareContract, returnsByStatus } from "../contract.ts";
import { Dto, type Field } from "../dto/dto.ts";
import { describeValue } from "../errors.ts";
import { explainUnknownNames, namesOf } from "../options.ts";
import type { Method } from "../record.ts";

const names = namesOf<Contract>({
  summary: true,
  description: true,
  tags: true,
  deprecated: true,
  public: true,
  params: true,
  query: true,
  headers: true,
  body: true,
  returns: true,
  errors: true,
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
  ];
}

function findTextFaults({ summary, description, tags = [], deprecated, public: isPublic }: Contract): string[] {
  const faults: string[] = [];
  for (const [name, value] of Object.entries({ summary, description })) {
    if (value !== undefined && typeof value !== "string") faults.push(`has ${describeValue(value)} as its ${name}.`);
  }
  if (!Array.isArray(tags) || tags.some((tag) => typeof tag !== "string" || tag === "")) {
    faults.push(`has ${describeValue(tags)} as its tags. Write a list of names.`);
  }
  for (const [name, value] of Object.entries({ deprecated, public: isPublic })) {
    if (value !== undefined && typeof value !== "boolean") faults.push(`has a \`${name}\` that is no boolean.`);
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

const objects: readonly string[] = ["object", "record", "union"];

/** Text has no place for objects, and only a multipart form has files. */
function findFieldFaults({ params, query, headers, body }: Contract, method: Method | undefined): string[] {
  const faultsIn = (part: string, schema: unknown, kinds: readonly string[]) =>
    Object.entries<Field>(schema instanceof Dto ? schema.fields : {})
      .filter(([, { kind }]) => kinds.includes(kind))
      .map(([name, { kind }]) => `declares "${name}" in its ${part}, where no client can send ${describeKind(kind)}.`);
  if (method === undefined) return []; // a command reads objects from standard input
  const texts = Object.entries({ params, query, headers });
  return [
    ...texts.flatMap(([part, schema]) => faultsIn(part, schema, [...objects, "file"])),
    ...faultsIn("JSON body", body, ["file"]),
  ];
}

function describeKind(kind: string): string {
  return kind === "file" ? "a file. Use body: form(…)" : "an object";
}

const guardNames = namesOf<MiddlewareContract>({ security: true, optional: true, errors: true, methods: true });
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
  if (!isSchema(body) && !(body instanceof Body)) {
    return [`has ${describeValue(body)} as its body. Use dto({ … }), another schema, form(), optional() or content().`];
  }
  const types = body instanceof Body ? body.types.filter((type) => !mediaType.test(type)) : [];
  if (types.length > 0) return [`has content("${types[0]}") as its body. Name a whole media type, such as "text/csv".`];
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
    else if (schema !== null && !isSchema(schema) && !(schema instanceof Body && schema.kind === "content")) {
      faults.push(`returns ${describeValue(schema)} with ${status}. Use a schema, content(), or null for no body.`);
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
