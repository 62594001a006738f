import { type Body, type LiveContract, type MiddlewareContract, toBody } from "../request/contract.ts";
import type { RouteInfo } from "../route/table.ts";
import { hasFile, type JsonSchema, toJsonSchema } from "../schema/json-schema.ts";
import type { Schema } from "../schema/standard-schema.ts";
import type { Components } from "./components.ts";
import { type Parameter, toParameters } from "./parameters.ts";
import type { PathParameter } from "./path-template.ts";
import {
  type DocumentTools,
  type MediaType,
  type ResponseObject,
  toContent,
  toJson,
  toResponses,
} from "./responses.ts";

/** Schemes by name, all of which a request must satisfy. */
type SecurityRequirement = Readonly<Record<string, readonly string[]>>;

/** An Operation Object of OpenAPI 3.1, as far as it is written here. */
export interface Operation {
  readonly operationId?: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly deprecated?: boolean;
  readonly security: readonly SecurityRequirement[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, MediaType>> };
  readonly responses: Readonly<Record<string, ResponseObject>>;
  /** The rules of its policies. */
  readonly "x-tenon-policies"?: readonly string[];
  /** The messages of an event stream or a WebSocket, for which OpenAPI 3.1 has no keyword. */
  readonly "x-tenon-live"?: LiveMessages;
}

/** Schemas by the name of a message. */
export interface LiveMessages {
  readonly kind: LiveContract["kind"];
  readonly sends: Readonly<Record<string, JsonSchema>>;
  readonly receives?: Readonly<Record<string, JsonSchema>>;
}

/** `id` is left out where another operation has the same. */
export function toOperation(
  route: RouteInfo,
  id: string | undefined,
  inPath: readonly PathParameter[],
  tools: DocumentTools,
): Operation {
  const { components, readsForms } = tools;
  const { contract = {}, middlewareContracts, module } = route;
  const { deprecated, live } = contract;
  const policies = middlewareContracts.flatMap(({ policy }) => policy ?? []);
  const description = toDescription(contract.description, policies);
  const body = toBody(contract.body);
  const tags = contract.tags ?? (module === undefined ? [] : [module]);
  const parameters = toParameters(contract, inPath, components, middlewareContracts);
  const responses = toResponses(route.contract, middlewareContracts, tools);
  if (live?.kind === "socket") {
    delete responses.default;
    responses["101"] = { description: tools.reasonOf(101) };
  }
  return {
    ...(id === undefined ? {} : { operationId: id }),
    summary: contract.summary ?? toSummary(route),
    ...(description === undefined ? {} : { description }),
    ...(tags.length === 0 ? {} : { tags }),
    ...(deprecated === true ? { deprecated } : {}),
    security: toSecurity(middlewareContracts, components),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : { requestBody: { required: body.required, content: toBodyContent(body, components, readsForms) } }),
    responses: route.method === "HEAD" ? withoutContent(responses) : responses,
    ...(policies.length === 0 ? {} : { "x-tenon-policies": policies }),
    ...(live === undefined ? {} : { "x-tenon-live": toLiveMessages(live, components) }),
  };
}

/** The alternatives of a route: one scheme of each middleware that has some. Empty for a public route. */
function toSecurity(contracts: readonly MiddlewareContract[], components: Components): SecurityRequirement[] {
  let alternatives: SecurityRequirement[] = [{}];
  for (const { security = {}, optional = false } of contracts) {
    const schemes = Object.entries(security);
    for (const [name, scheme] of schemes) components.addScheme(name, scheme);
    const own: SecurityRequirement[] = schemes.map(([name]) => ({ [name]: [] }));
    if (optional || own.length === 0) own.push({});
    alternatives = alternatives.flatMap((outer) => own.map((inner) => ({ ...outer, ...inner })));
  }
  const unique = new Map(alternatives.map((one) => [JSON.stringify(Object.keys(one).sort()), one]));
  return unique.size === 1 && unique.has("[]") ? [] : [...unique.values()];
}

/** OpenAPI has no place for who may send a request, so that the description says it too. */
function toDescription(description: string | undefined, policies: readonly string[]): string | undefined {
  if (policies.length === 0) return description;
  const rules = `${policies.length === 1 ? "Policy" : "Policies"}: ${policies.join(", ")}.`;
  return description === undefined ? rules : `${description}\n\n${rules}`;
}

function toLiveMessages({ kind, sends, receives }: LiveContract, components: Components): LiveMessages {
  const toSchemas = (messages: Readonly<Record<string, Schema>>, direction: "input" | "output") =>
    Object.fromEntries(
      Object.entries(messages).map(([name, schema]) => [name, components.toSchema(schema, direction)]),
    );
  return {
    kind,
    sends: toSchemas(sends, "output"),
    ...(receives === undefined ? {} : { receives: toSchemas(receives, "input") }),
  };
}

/** The name of the handler in words: `addComment` → `Add comment`. */
function toSummary({ handler, method, path }: RouteInfo): string {
  const words = handler.replaceAll(/[^A-Za-z0-9]+/g, " ").replaceAll(/(?<=[a-z0-9])[A-Z]/g, (letter) => ` ${letter}`);
  const text = words.trim().toLowerCase();
  if (text === "" || ["(anonymous)", "handler"].includes(handler)) return `${method} ${path}`;
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function toBodyContent({ kind, schema, types }: Body, components: Components, readsForms: boolean) {
  if (schema === undefined) return toContent(types);
  const media = { schema: components.toSchema(schema, "input") };
  const asForm = hasFile(toJsonSchema(schema, "input"))
    ? { "multipart/form-data": media }
    : { "application/x-www-form-urlencoded": media, "multipart/form-data": media };
  if (kind === "form") return asForm;
  return { ...toJson(media.schema), ...(readsForms ? asForm : {}) };
}

function withoutContent(responses: Readonly<Record<string, ResponseObject>>): Record<string, ResponseObject> {
  return Object.fromEntries(Object.entries(responses).map(([status, { description }]) => [status, { description }]));
}
