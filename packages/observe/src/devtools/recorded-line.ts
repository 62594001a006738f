import type { RecordedError, RecordedLine } from "./recorded.ts";

/** A line of the log, as JSON, which is redacted already. Undefined for anything else. */
export function toRecordedLine(text: string): Omit<RecordedLine, "start"> | undefined {
  let fields: unknown;
  try {
    fields = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof fields !== "object" || fields === null) return undefined;
  const { level, msg, time: _, err, ...others } = fields as Record<string, unknown>; // an object, checked above
  const error = toError(err);
  return {
    level: String(level),
    message: [msg, others.event].find((text) => typeof text === "string") ?? "",
    fields: others,
    ...(error === undefined ? {} : { error }),
  };
}

function toError(err: unknown): RecordedError | undefined {
  if (typeof err !== "object" || err === null) return undefined;
  const { type, message, stack, cause } = err as Record<string, unknown>; // an object, checked above
  const inner = toError(cause);
  const own = typeof stack === "string" ? stack : "";
  return {
    type: String(type ?? "Error"),
    message: String(message ?? ""),
    stack: inner === undefined ? own : `${own}\n[cause] ${inner.stack}`,
  };
}
