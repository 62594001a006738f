import { context, DiagLogLevel, diag, metrics, ProxyTracerProvider, propagation, trace } from "@opentelemetry/api";
import { type Log, StartError } from "@tenon/core";
import { endsInTime, exposeVariables, readEnvironment } from "@tenon/core/platform";
import type { SignalContextManager } from "./signal-context.ts";
import { TraceIds } from "./trace-ids.ts";

/** What was started, for the end of the process. */
export interface Sdk {
  /** Sends what is waiting, and stops. */
  stop(): Promise<void>;
}

/** Any of these asks for an exporter. */
const exporters = [
  "OTEL_EXPORTER_OTLP_ENDPOINT",
  "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
  "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
  "OTEL_TRACES_EXPORTER",
  "OTEL_METRICS_EXPORTER",
];
/** Milliseconds for what is waiting at the end. */
const flushTimeout = 3000;
const none = /^\s*none\s*$/i;

/** Whether the variables of OpenTelemetry ask for an exporter. */
export function asksForExporter(variables: Readonly<Record<string, string>>): boolean {
  if (/^\s*true\s*$/i.test(variables.OTEL_SDK_DISABLED ?? "")) return false;
  return exporters.some((name) => variables[name] !== undefined && !none.test(variables[name]));
}

/** Whether an SDK is registered: that of the application, or the one that was started here. */
export function hasTracerProvider(): boolean {
  const provider = trace.getTracerProvider();
  return !(provider instanceof ProxyTracerProvider) || provider.getDelegateTracer("@tenon/observe") !== undefined;
}

/** Starts the SDK as its variables say; undefined when they ask for no exporter, or another SDK is registered. */
export async function startSdk(
  contextManager: SignalContextManager,
  serviceName: string,
  log: Log,
): Promise<Sdk | undefined> {
  const { otel } = readEnvironment();
  if (!asksForExporter(otel) || hasTracerProvider()) return undefined;
  const { NodeSDK } = await loadSdk();
  // the SDK reads process.env; by default it would also send the arguments of the process, which may contain secrets
  exposeVariables({ OTEL_NODE_RESOURCE_DETECTORS: "env,host,os,serviceinstance", ...otel });
  const sdk = new NodeSDK({
    contextManager,
    logRecordProcessors: [],
    idGenerator: new TraceIds(),
    ...(isNamed(otel) ? {} : { serviceName }),
  });
  if (otel.OTEL_LOG_LEVEL === undefined) reportProblems(log);
  sdk.start();
  return {
    stop: async () => {
      try {
        const isSent = await endsInTime(sdk.shutdown(), flushTimeout);
        if (!isSent) log.warn("OpenTelemetry: the last traces and metrics were not sent in time");
      } catch (error) {
        log.warn({ err: error }, "OpenTelemetry: the last traces and metrics could not be sent");
      }
      for (const api of [trace, metrics, propagation, context, diag]) api.disable();
    },
  };
}

/** An exporter that cannot reach its receiver would otherwise say nothing. */
function reportProblems(log: Log): void {
  // the first argument is often the name of a component only
  const report = (...parts: unknown[]) => log.warn(`OpenTelemetry: ${parts.map(String).join(" ")}`);
  const logger = { error: report, warn: report, info: ignore, debug: ignore, verbose: ignore };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
}

function ignore(): void {}

function isNamed({ OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES = "" }: Readonly<Record<string, string>>): boolean {
  return OTEL_SERVICE_NAME !== undefined || /(?:^|,)\s*service\.name\s*=/.test(OTEL_RESOURCE_ATTRIBUTES);
}

async function loadSdk() {
  try {
    return await import("@opentelemetry/sdk-node");
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND";
    if (!isMissing) throw error;
    const message =
      'The variables OTEL_… ask for an exporter, which needs the package "@opentelemetry/sdk-node". Install it: npm install @opentelemetry/sdk-node. OTEL_SDK_DISABLED=true starts without it.';
    throw new StartError([{ code: "BAD_ENVIRONMENT", message, cause: error }]);
  }
}
