import { type MiddlewareLike, token } from "@tenon/core";
import { checkNames, namesOf, refuseOption } from "@tenon/core/platform";
import type { SignalContextManager } from "./signal-context.ts";

/** `GET /metrics` on the port of the application, guarded by a token or by middlewares, or on a port of its own. */
export interface MetricsOptions {
  /** Defaults to "/metrics". */
  readonly path?: string;
  /** Clients send `Authorization: Bearer <token>`. */
  readonly token?: string;
  /** Guards of the route. A port of its own has none: it takes a token. */
  readonly middlewares?: readonly MiddlewareLike[];
  /** A port for metrics alone. Zero takes any free one. */
  readonly port?: number;
  /** Of that port. Defaults to 127.0.0.1, which is reachable from this machine only. */
  readonly host?: string;
}

export interface ObserveOptions {
  /** Metrics for Prometheus. Defaults to none. */
  readonly metrics?: MetricsOptions;
  /** Whether each middleware and handler has a span of its own. Defaults to false. */
  readonly chainSpans?: boolean;
  /** Whether a request continues the trace that its header `traceparent` names. Defaults to true. */
  readonly continueTraces?: boolean;
  /** Paths that get no span. Defaults to those of health checks and metrics. */
  readonly ignoredPaths?: readonly string[];
  /** Defaults to OTEL_SERVICE_NAME, then to the name of the application's module. */
  readonly serviceName?: string;
  /** The one of an SDK that the application starts itself. */
  readonly contextManager?: SignalContextManager;
}

export interface ObserveSettings {
  readonly metrics: (MetricsOptions & { readonly path: string; readonly host: string }) | undefined;
  readonly chainSpans: boolean;
  readonly continueTraces: boolean;
  readonly ignoredPaths: ReadonlySet<string>;
  readonly serviceName: string | undefined;
  readonly contextManager: SignalContextManager | undefined;
}
export const ObserveSettings = token<ObserveSettings>("ObserveSettings");

const optionNames = namesOf<ObserveOptions>({
  metrics: true,
  chainSpans: true,
  continueTraces: true,
  ignoredPaths: true,
  serviceName: true,
  contextManager: true,
});
const metricsNames = namesOf<MetricsOptions>({ path: true, token: true, middlewares: true, port: true, host: true });
const shortestToken = 16;

export function toObserveSettings(options: ObserveOptions): ObserveSettings {
  checkNames("observeModule()", options, optionNames);
  const { chainSpans = false, continueTraces = true, serviceName, contextManager } = options;
  const metrics = options.metrics === undefined ? undefined : toMetricsSettings(options.metrics);
  const quiet = ["/health/live", "/health/ready", ...(metrics === undefined ? [] : [metrics.path])];
  const ignoredPaths = new Set(options.ignoredPaths ?? quiet);
  return { metrics, chainSpans, continueTraces, ignoredPaths, serviceName, contextManager };
}

function toMetricsSettings(options: MetricsOptions): NonNullable<ObserveSettings["metrics"]> {
  const taker = "metrics of observeModule()";
  checkNames(taker, options, metricsNames);
  const { path = "/metrics", host = "127.0.0.1", port, token: secret, middlewares = [] } = options;
  if (typeof path !== "string" || !path.startsWith("/")) {
    refuseOption(`path in ${taker} is ${JSON.stringify(path)}. Begin it with a slash: "/metrics".`);
  }
  if (port !== undefined && !(Number.isInteger(port) && port >= 0 && port <= 65_535)) {
    refuseOption(`port in ${taker} is ${String(port)}. It takes a whole number from 0 to 65535.`);
  }
  if (secret !== undefined && !(typeof secret === "string" && secret.length >= shortestToken)) {
    refuseOption(`token in ${taker} is too short. It takes at least ${shortestToken} characters.`);
  }
  if (port === undefined && secret === undefined && middlewares.length === 0) {
    refuseOption(`${taker}: everyone could read GET ${path}. Add a token, middlewares, or a port of its own.`);
  }
  if (port !== undefined && middlewares.length > 0) {
    refuseOption(`${taker}: middlewares guard the application, not a port of its own. Use a token there.`);
  }
  return { ...options, path, host };
}
