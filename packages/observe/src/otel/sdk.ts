import { context, DiagLogLevel, diag, metrics, ProxyTracerProvider, propagation, trace } from "@opentelemetry/api";
import type { Log } from "@tenon/core";
import { endsWithin, readEnvironment } from "@tenon/core/internal";
import { asksForExporter, isMissing, toMissingPackages } from "./packages.ts";
import type { TracingContextManager } from "./tracing-context.ts";

/** What was started, for the end of the process. */
export interface Sdk {
  /** Sends what is waiting, and stops. */
  stop(): Promise<void>;
}

/** Milliseconds for what is waiting at the end. */
const flushTimeout = 3000;

/** Whether an SDK is registered: that of the application, or the one that was started here. */
export function hasTracerProvider(): boolean {
  const provider = trace.getTracerProvider();
  return !(provider instanceof ProxyTracerProvider) || provider.getDelegateTracer("@tenon/observe") !== undefined;
}

/** Starts the SDK as its variables say; undefined when they ask for no exporter, or another SDK is registered. */
export async function startSdk(
  contextManager: TracingContextManager,
  serviceName: string,
  log: Log,
): Promise<Sdk | undefined> {
  const { otel } = readEnvironment();
  if (!asksForExporter(otel) || hasTracerProvider()) return undefined;
  const { NodeSDK } = await loadSdk();
  // the SDK reads process.env; by default it would also send the arguments of the process, which may contain secrets
  const variables = { OTEL_NODE_RESOURCE_DETECTORS: "env,host,os,serviceinstance", ...otel };
  for (const [name, value] of Object.entries(variables)) process.env[name] ??= value;
  const sdk = new NodeSDK({
    contextManager,
    logRecordProcessors: [],
    ...(isNamed(otel) ? {} : { serviceName }),
  });
  if (otel.OTEL_LOG_LEVEL === undefined) reportProblems(log);
  sdk.start();
  return {
    stop: async () => {
      try {
        const isSent = await endsWithin(sdk.shutdown(), flushTimeout);
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
    throw isMissing(error) ? toMissingPackages(error) : error;
  }
}
