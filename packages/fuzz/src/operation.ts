import type { JsonSchema } from "@tenon/core/platform";
import { type Arbitraries, propertiesOf, type Schemas } from "./arbitrary.ts";

export interface FuzzedOperation {
  readonly id: string;
  readonly method: string;
  /** As in the document: `/posts/{id}`. */
  readonly path: string;
  /** The names of the security schemes that it declares. */
  readonly security: readonly string[];
}

export type ActorHeaders = Readonly<Record<string, string>>;
export type HeadersOf = (operation: FuzzedOperation) => ActorHeaders | Promise<ActorHeaders>;

/** An operation as far as requests need it. */
export interface Operation extends FuzzedOperation {
  readonly parameters: readonly Parameter[];
  readonly body: DeclaredBody | undefined;
  readonly declared: ReadonlySet<string>;
  /** The fields of the JSON object that it returns; none for lists and other content. */
  readonly returned: Readonly<Record<string, JsonSchema>>;
  readonly policies: readonly string[];
  /** For an event stream or a WebSocket. */
  readonly live: LiveMessages | undefined;
}

export interface LiveMessages {
  readonly kind: "events" | "socket";
  /** What a socket receives: schemas by the name of a message. */
  readonly receives?: Readonly<Record<string, JsonSchema>>;
}

export interface Parameter {
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

type Content = Readonly<Record<string, { readonly schema?: JsonSchema }>>;

interface OperationObject {
  readonly operationId?: string;
  readonly "x-tenon-live"?: LiveMessages;
  readonly "x-tenon-policies"?: readonly string[];
  readonly parameters?: readonly (Omit<Parameter, "schema"> & {
    readonly schema?: JsonSchema;
    readonly content?: Content;
  })[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
  readonly security?: readonly Readonly<Record<string, unknown>>[];
}

const methods = ["get", "post", "put", "patch", "delete"];

export function toOperations({ paths = {} }: Document, arbitraries: Arbitraries): Operation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => methods.includes(method))
      .map(([method, operation]) => ({
        id: operation.operationId ?? `${method.toUpperCase()} ${path}`,
        method: method.toUpperCase(),
        path,
        security: (operation.security ?? []).flatMap(Object.keys),
        parameters: (operation.parameters ?? [])
          .map(({ content, schema = content?.["application/json"]?.schema ?? {}, ...parameter }) => ({
            ...parameter,
            schema: arbitraries.resolve(schema),
          }))
          .filter((parameter) => parameter.in !== "query" || !arbitraries.hasObjects(parameter.schema)),
        body: toBody(operation, arbitraries),
        declared: new Set(Object.keys(operation.responses)),
        returned: toReturned(operation, arbitraries),
        policies: operation["x-tenon-policies"] ?? [],
        live: operation["x-tenon-live"],
      })),
  );
}

function toReturned({ responses }: OperationObject, arbitraries: Arbitraries): Readonly<Record<string, JsonSchema>> {
  const [, response] = Object.entries(responses).find(([status]) => status.startsWith("2")) ?? [];
  return propertiesOf(arbitraries.resolve(response?.content?.["application/json"]?.schema ?? {}));
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
