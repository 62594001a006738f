import type { JsonSchema } from "@tenon/core";
import { type Arbitraries, propertiesOf, type Schemas } from "./arbitrary.ts";

export interface FuzzedOperation {
  readonly id: string;
  readonly method: string;
  /** As in the document: `/posts/{id}`. */
  readonly path: string;
  /** The names of the security schemes that it declares. */
  readonly security: readonly string[];
}

/** An operation as far as requests need it. */
export interface Operation extends FuzzedOperation {
  readonly parameters: readonly Parameter[];
  readonly body: DeclaredBody | undefined;
  readonly declared: ReadonlySet<string>;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: JsonSchema;
}

export interface DeclaredBody {
  readonly type: string;
  readonly schema: JsonSchema;
  readonly required: boolean;
  /** Its fields by their names, for a form. */
  readonly fields: Readonly<Record<string, JsonSchema>>;
}

/** The OpenAPI document, as far as requests need it. */
export interface Document {
  readonly paths?: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components?: { readonly schemas?: Schemas };
}

interface OperationObject {
  readonly operationId?: string;
  readonly "x-tenon-live"?: unknown;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly required?: boolean;
    readonly content: Readonly<Record<string, { readonly schema?: JsonSchema }>>;
  };
  readonly responses: Readonly<Record<string, unknown>>;
  readonly security?: readonly Readonly<Record<string, unknown>>[];
}

const methods = ["get", "post", "put", "patch", "delete"];

export function toOperations({ paths = {} }: Document, arbitraries: Arbitraries): Operation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      // an event stream has no end, and a WebSocket needs a socket
      .filter(([method, operation]) => methods.includes(method) && operation["x-tenon-live"] === undefined)
      .map(([method, operation]) => ({
        id: operation.operationId ?? `${method.toUpperCase()} ${path}`,
        method: method.toUpperCase(),
        path,
        security: (operation.security ?? []).flatMap(Object.keys),
        parameters: (operation.parameters ?? [])
          .filter((parameter) => parameter.in !== "query" || !arbitraries.hasObjects(parameter.schema))
          .map((parameter) => ({ ...parameter, schema: arbitraries.resolve(parameter.schema) })),
        body: toBody(operation, arbitraries),
        declared: new Set(Object.keys(operation.responses)),
      })),
  );
}

function toBody({ requestBody }: OperationObject, arbitraries: Arbitraries): DeclaredBody | undefined {
  const [type, media] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  if (type === undefined) return undefined;
  const schema = media?.schema ?? {};
  const fields = Object.entries(propertiesOf(arbitraries.resolve(schema))).map(
    ([name, one]) => [name, arbitraries.resolve(one)] as const,
  );
  return { type, schema, required: requestBody?.required === true, fields: Object.fromEntries(fields) };
}
