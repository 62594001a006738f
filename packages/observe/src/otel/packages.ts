import { StartError } from "@tenon/core";
import { readEnvironment } from "@tenon/core/internal";

/** Any of these asks for an exporter. */
const exporters = [
  "OTEL_EXPORTER_OTLP_ENDPOINT",
  "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
  "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
  "OTEL_TRACES_EXPORTER",
  "OTEL_METRICS_EXPORTER",
];
const none = /^\s*none\s*$/i;

/** Whether the variables of OpenTelemetry ask for an exporter. */
export function asksForExporter(variables: Readonly<Record<string, string>>): boolean {
  if (/^\s*true\s*$/i.test(variables.OTEL_SDK_DISABLED ?? "")) return false;
  return exporters.some((name) => variables[name] !== undefined && !none.test(variables[name]));
}

/** Whether `@opentelemetry/api` is installed. Throws a StartError for an exporter that is asked for and needs it. */
export async function hasApi(): Promise<boolean> {
  try {
    await import("@opentelemetry/api");
    return true;
  } catch (error) {
    if (!isMissing(error)) throw error;
    if (asksForExporter(readEnvironment().otel)) throw toMissingPackages(error);
    return false;
  }
}

export function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND";
}

export function toMissingPackages(cause: unknown): StartError {
  const message =
    'The variables OTEL_… ask for an exporter, which needs the packages "@opentelemetry/api" and "@opentelemetry/sdk-node". Install them: npm install @opentelemetry/api @opentelemetry/sdk-node. OTEL_SDK_DISABLED=true starts without them.';
  return new StartError([{ code: "BAD_ENVIRONMENT", message, cause }]);
}
