import { type MiddlewareLike, type Module, token } from "@tenon/core";
import { checkOptions, type Injectable, type OptionTable, refuseOption, takes } from "@tenon/core/internal";
import type { TracingContextManager } from "./otel/tracing-context.ts";

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
  /** The host of that port. Defaults to 127.0.0.1, which is reachable from this machine only. */
  readonly host?: string;
  /** Lets every client that reaches the port read the metrics without a token. Defaults to false. */
  readonly public?: boolean;
}

export interface PlainObserveOptions {
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
  readonly contextManager?: TracingContextManager;
}

/** Each option but `imports` is a value, or a function that returns it and may `inject()` what `imports` export. */
export interface ObserveOptions<Imports extends readonly Module[] = readonly Module[]>
  extends Injectable<PlainObserveOptions> {
  /** What the options inject: `[ConfigModule]`. Defaults to none. */
  readonly imports?: Imports;
}

export interface ObserveSettings {
  readonly metrics: (MetricsOptions & { readonly path: string; readonly host: string }) | undefined;
  readonly chainSpans: boolean;
  readonly continueTraces: boolean;
  readonly ignoredPaths: ReadonlySet<string>;
  readonly serviceName: string | undefined;
  readonly contextManager: TracingContextManager | undefined;
}
export const ObserveSettings = token<ObserveSettings>("observeModule()");

const loopback = /^(?:localhost|127(?:\.[0-9]{1,3}){3}|::1)$/i;

const metricsTable: OptionTable<MetricsOptions> = {
  path: takes.match(/^\//, 'Begin it with a slash: "/metrics".'),
  token: (token) => {
    const given = Buffer.byteLength(String(token));
    return given >= 16 ? undefined : `has ${given} bytes. At least 16 are needed. Use random ones.`;
  },
  middlewares: true,
  port: takes.wholeNumber(0, 65_535),
  host: true,
  public: true,
};

export function toObserveSettings(options: PlainObserveOptions): ObserveSettings {
  checkOptions("observeModule()", options, {
    metrics: metricsTable,
    chainSpans: true,
    continueTraces: true,
    ignoredPaths: true,
    serviceName: true,
    contextManager: true,
  });
  refuseOpenMetrics(options.metrics);
  const { chainSpans = false, continueTraces = true, serviceName, contextManager } = options;
  const metrics = options.metrics && { path: "/metrics", host: "127.0.0.1", ...options.metrics };
  const quiet = ["/health/live", "/health/ready", ...(metrics === undefined ? [] : [metrics.path])];
  const ignoredPaths = new Set(options.ignoredPaths ?? quiet);
  return { metrics, chainSpans, continueTraces, ignoredPaths, serviceName, contextManager };
}

/** Metrics that everyone could read, and guards that guard nothing. */
function refuseOpenMetrics(options: MetricsOptions | undefined): void {
  if (options === undefined) return;
  const { path = "/metrics", host = "127.0.0.1", port, token: secret, middlewares = [] } = options;
  const owner = "metrics of observeModule()";
  const isOpen = secret === undefined && middlewares.length === 0 && options.public !== true;
  if (port === undefined && isOpen)
    refuseOption(`${owner}: everyone could read GET ${path}. Add a token, middlewares, or a port of its own.`);
  if (port === undefined) return;
  if (middlewares.length > 0)
    refuseOption(`${owner}: middlewares guard the application, not a port of its own. Use a token there.`);
  if (isOpen && !loopback.test(host))
    refuseOption(`${owner}: everyone who reaches ${host} could read them. Add a token, or public: true.`);
}
