import type { Contract, MiddlewareContract } from "../request/contract.ts";
import { Dto } from "../schema/dto.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import type { Schema } from "../schema/standard-schema.ts";
import type { Components } from "./components.ts";
import type { PathParameter } from "./path-template.ts";

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required?: boolean;
  readonly description?: string;
  readonly style?: "form";
  readonly explode?: boolean;
  readonly schema?: JsonSchema;
  /** Replaces the schema of a parameter whose text is JSON. Without a media type a client would write an object as several parameters. */
  readonly content?: { readonly "application/json": { readonly schema: JsonSchema } };
  /** It is the rest of the path, with slashes between its segments; OpenAPI 3.1 has no keyword for this. */
  readonly "x-tenon-rest"?: true;
}

/** Described by security schemes and media types; OpenAPI ignores them as parameters. */
const ownHeaders = new Set(["accept", "authorization", "content-type"]);

const rest = { "x-tenon-rest": true } as const;

/** The parameters in the path, and the declared ones of query and headers; then the headers that middlewares read. */
export function toParameters(
  { params, query, headers }: Contract,
  inPath: readonly PathParameter[],
  components: Components,
  contracts: readonly MiddlewareContract[],
): Parameter[] {
  const read: [string, Member][] = contracts
    .flatMap(({ headers = {} }) => Object.entries(headers))
    .map(([name, description]) => [name, { required: false, description, value: { schema: { type: "string" } } }]);
  const declared = membersOf(params, components);
  return [
    ...inPath.map(({ name, own, description }): Parameter => {
      const { description: told = description, value = { schema: { type: "string" } } } = declared.get(own) ?? {};
      const notes = { ...(told === "" ? {} : { description: told }), ...(own === "*" ? rest : {}) };
      return { name, in: "path", required: true, ...notes, ...value };
    }),
    ...[...membersOf(query, components)].map((entry) => toParameter("query", entry)),
    ...[...new Map([...read, ...membersOf(headers, components)])]
      .filter(([name]) => !ownHeaders.has(name.toLowerCase()))
      .map((entry) => toParameter("header", entry)),
  ];
}

function toParameter(part: "query" | "header", [name, { required, value, ...notes }]: [string, Member]): Parameter {
  const isList = part === "query" && [value.schema?.type].flat().includes("array");
  const list = isList ? ({ style: "form", explode: true } as const) : {};
  return { name, in: part, ...(required ? { required } : {}), ...notes, ...list, ...value };
}

interface Member {
  readonly required: boolean;
  readonly description?: string;
  readonly value: Pick<Parameter, "schema" | "content">;
}

/** By name. None for a schema of another library that does not describe itself as an object. */
function membersOf(part: Schema | undefined, components: Components): Map<string, Member> {
  const { properties = {}, required = [] } = part === undefined ? {} : components.toObject(part, "input");
  const needed = new Set(required as readonly string[]); // as JSON Schema says
  return new Map(
    Object.entries(properties as Record<string, JsonSchema>).map(([name, { description, ...schema }]) => {
      const notes = typeof description === "string" ? { description } : {};
      const isJson = part instanceof Dto && part.fields[name]?.textForm === "json";
      const value = isJson ? { content: { "application/json": { schema } } } : { schema };
      return [name, { required: needed.has(name), ...notes, value }];
    }),
  );
}
