import { StartError } from "./errors.ts";
import type { OpenApiDocument } from "./openapi/document.ts";
import { toOperationId } from "./operation-id.ts";
import type { RouteInfo } from "./table.ts";

/** A route, for the tool. */
export interface RouteDescription {
  /** Undefined for commands. */
  readonly method?: string;
  readonly path: string;
  readonly handler: string;
  readonly controller: string;
  readonly middlewares: readonly string[];
  readonly module?: string;
  readonly operationId?: string;
  /** Whether `endpoint()` declares what it accepts and returns. */
  readonly declared: boolean;
  /** Whether a guard declares a security scheme for it. */
  readonly secured: boolean;
  readonly summary?: string;
}

/** What an application sends to the process that started it with TENON_DESCRIBE. */
export interface AppDescription {
  /** The version of this message. */
  readonly tenon: 1;
  readonly platform: string;
  readonly routes: readonly RouteDescription[];
  /** On HTTP platforms. */
  readonly openapi?: OpenApiDocument;
}

interface Describable {
  readonly routes: { list(): RouteInfo[] };
  openapi?(): Promise<OpenApiDocument>;
}

/** Whatever would start the application. */
const starters = ["start", "listen", "fetch", "run", "execute"];

/**
 * The first call that would start the application sends its description and ends the process: no `onStart()` runs, no
 * store and no port is opened. Routes that were added until then are included.
 */
export function describeInsteadOfRunning<A extends Describable>(app: A, platform: string): A {
  if (process.send === undefined) {
    const message = "TENON_DESCRIBE is set, and no process waits for the description. Remove it from the environment.";
    throw new StartError([{ code: "BAD_ENVIRONMENT", message }]);
  }
  const describe = async (): Promise<never> => {
    const message = await toDescription(app, platform);
    process.send?.(message, () => process.exit(0)); // after the message is written
    return new Promise<never>(() => {});
  };
  return Object.assign(app, Object.fromEntries(starters.filter((name) => name in app).map((name) => [name, describe])));
}

async function toDescription(app: Describable, platform: string): Promise<AppDescription> {
  const routes = app.routes.list().map(toRouteDescription);
  const openapi = await app.openapi?.();
  return { tenon: 1, platform, routes, ...(openapi === undefined ? {} : { openapi }) };
}

function toRouteDescription(route: RouteInfo): RouteDescription {
  const { method, path, handler, controller, middlewares, module, contract, guards } = route;
  const operationId = toOperationId(route);
  return {
    ...(method === undefined ? {} : { method }),
    path,
    handler,
    controller,
    middlewares,
    ...(module === undefined ? {} : { module }),
    ...(operationId === undefined ? {} : { operationId }),
    declared: contract !== undefined,
    secured: guards.some(({ security = {}, optional }) => Object.keys(security).length > 0 && optional !== true),
    ...(contract?.summary === undefined ? {} : { summary: contract.summary }),
  };
}
