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
  const text = String(message ?? "");
  const frames = [toFrames(own, text), inner?.frames ?? ""].filter((lines) => lines !== "").join("\n");
  return {
    type: String(type ?? "Error"),
    message: text,
    stack: inner === undefined ? own : `${own}\n[cause] ${inner.stack}`,
    ...(frames === "" ? {} : { frames }),
  };
}

/** What follows the message. Nothing if the stack does not contain it: any of its lines may be part of another one. */
function toFrames(stack: string, message: string): string {
  const start = stack.indexOf(message);
  return start < 0 ? "" : stack.slice(start + message.length).replace(/^[^\n]*\n?/, "");
}
