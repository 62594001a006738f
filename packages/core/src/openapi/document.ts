import { isDocumented } from "../request/contract.ts";
import type { RouteInfo } from "../route/table.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import { Components } from "./components.ts";
import { type Operation, toOperation } from "./operation.ts";
import { PathTemplates } from "./path-template.ts";
import type { DocumentTools } from "./responses.ts";

/** What the document says about the application as a whole. */
export interface OpenApiInfo {
  /** Defaults to the name of the module that the application starts with. */
  readonly title?: string;
  /** The version of the interface. Defaults to `0.0.0`. */
  readonly version?: string;
  readonly summary?: string;
  /** Markdown. */
  readonly description?: string;
  readonly termsOfService?: string;
  readonly contact?: { readonly name?: string; readonly url?: string; readonly email?: string };
  readonly license?: { readonly name: string; readonly identifier?: string; readonly url?: string };
  /** Where the application is reached. Defaults to the host that serves the document. */
  readonly servers?: readonly { readonly url: string; readonly description?: string }[];
  /** Descriptions of tags, by name. */
  readonly tags?: Readonly<Record<string, string>>;
}

export interface OpenApiDocument {
  readonly openapi: "3.1.0";
  readonly info: Omit<OpenApiInfo, "servers" | "tags"> & { readonly title: string; readonly version: string };
  readonly servers: NonNullable<OpenApiInfo["servers"]>;
  readonly tags?: readonly { readonly name: string; readonly description?: string }[];
  /** By path, then by method in lower case. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: JsonSchema;
}

export interface DocumentOptions extends Omit<DocumentTools, "components"> {
  /** The default title. */
  readonly name: string;
  readonly info: OpenApiInfo;
}

/** Describes the routes that have a method and are not hidden. */
export function toOpenApi(routes: readonly RouteInfo[], options: DocumentOptions): OpenApiDocument {
  const { servers = [], tags: descriptions = {}, ...info } = options.info;
  const components = new Components();
  const tools = { ...options, components };
  const templates = new PathTemplates();
  const paths: Record<string, Record<string, Operation>> = {};
  const tags = new Set<string>();
  const served = routes.filter(isDocumented);
  const ids = toOperationIds(served);
  for (const route of served) {
    const { path, parameters } = templates.toTemplate(route.path);
    const operation = toOperation(route, ids.get(route), parameters, tools);
    for (const tag of operation.tags ?? []) tags.add(tag);
    paths[path] = { ...paths[path], [String(route.method).toLowerCase()]: operation };
  }
  const toTag = (name: string) =>
    Object.hasOwn(descriptions, name) ? { name, description: descriptions[name] ?? "" } : { name };
  const { components: written, resolve } = components.finish();
  return {
    openapi: "3.1.0",
    info: { ...info, title: info.title ?? options.name, version: info.version ?? "0.0.0" },
    servers: servers.length === 0 ? [{ url: "/" }] : servers,
    ...(tags.size === 0 ? {} : { tags: [...tags].map(toTag) }),
    paths: resolve(paths),
    components: written,
  };
}

/** Two plain handlers of one name have no id; two endpoints of one name are refused at start. */
function toOperationIds(routes: readonly RouteInfo[]): ReadonlyMap<RouteInfo, string> {
  const byId = Map.groupBy(routes, ({ operationId }) => operationId);
  const ids = new Map<RouteInfo, string>();
  for (const [id, same] of byId) {
    const owner = same.find(({ contract }) => contract !== undefined) ?? (same.length === 1 ? same[0] : undefined);
    if (id !== undefined && owner !== undefined) ids.set(owner, id);
  }
  return ids;
}
