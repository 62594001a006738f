import type { Contract } from "../contract.ts";
import type { JsonSchema } from "../dto/json-schema.ts";
import type { Schema } from "../dto/standard-schema.ts";
import type { Components } from "./components.ts";
import type { PathParameter } from "./path-template.ts";

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required?: boolean;
  readonly description?: string;
  readonly style?: "form";
  readonly explode?: boolean;
  readonly schema: JsonSchema;
  /** It is the rest of the path, with slashes between its segments; OpenAPI 3.1 has no keyword for this. */
  readonly "x-tenon-rest"?: true;
}

/** Described by security schemes and media types; OpenAPI ignores them as parameters. */
const ownHeaders = new Set(["accept", "authorization", "content-type"]);

const rest = { "x-tenon-rest": true } as const;

/** The parameters in the path, and the declared ones of query and headers. */
export function toParameters(
  { params, query, headers }: Contract,
  inPath: readonly PathParameter[],
  components: Components,
): Parameter[] {
  const declared = membersOf(params, components);
  return [
    ...inPath.map(({ name, own, description }): Parameter => {
      const { description: told = description, schema = { type: "string" } } = declared.get(own) ?? {};
      const notes = { ...(told === "" ? {} : { description: told }), ...(own === "*" ? rest : {}) };
      return { name, in: "path", required: true, ...notes, schema };
    }),
    ...[...membersOf(query, components)].map(([name, { required, schema, ...notes }]): Parameter => {
      const list = [schema.type].flat().includes("array") ? ({ style: "form", explode: true } as const) : {};
      return { name, in: "query", ...(required ? { required } : {}), ...notes, ...list, schema };
    }),
    ...[...membersOf(headers, components)]
      .filter(([name]) => !ownHeaders.has(name.toLowerCase()))
      .map(
        ([name, { required, schema, ...notes }]): Parameter => ({
          name,
          in: "header",
          ...(required ? { required } : {}),
          ...notes,
          schema,
        }),
      ),
  ];
}

interface Member {
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
}

/** By name. None for a schema of another library that does not describe itself as an object. */
function membersOf(part: Schema | undefined, components: Components): Map<string, Member> {
  const { properties = {}, required = [] } = part === undefined ? {} : components.toObject(part, "input");
  const needed = new Set(required as readonly string[]); // as JSON Schema says
  return new Map(
    Object.entries(properties as Record<string, JsonSchema>).map(([name, { description, ...schema }]) => {
      const notes = typeof description === "string" ? { description } : {};
      return [name, { required: needed.has(name), ...notes, schema }];
    }),
  );
}
