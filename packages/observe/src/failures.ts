import { type Span, SpanStatusCode } from "@opentelemetry/api";
import { HttpError } from "@tenon/core";

/** Records what operations have thrown: an error that passes through several spans is an event of the first one only. */
export class Failures {
  readonly #recorded = new WeakSet<object>();

  /** Marks a span as failed, unless the client has caused the error. */
  record(span: Span, error: unknown): void {
    if (!isFailure(error)) return;
    span.setStatus({ code: SpanStatusCode.ERROR });
    span.setAttribute("error.type", typeOf(error));
    if (typeof error !== "object" || error === null) {
      span.recordException(`${String(error)} was thrown, which is not an Error`);
    } else if (!this.#recorded.has(error)) {
      this.#recorded.add(error);
      span.recordException(error instanceof Error ? error : { name: "Object", message: "an object was thrown" });
    }
  }
}

export function isFailure(error: unknown): boolean {
  return error !== undefined && !(error instanceof HttpError && error.status < 500);
}

/** A code such as ECONNREFUSED, else the class. */
export function typeOf(error: unknown): string {
  if (typeof error !== "object" || error === null) return typeof error;
  if ("code" in error && typeof error.code === "string" && error.code !== "") return error.code;
  return error.constructor?.name || "Error";
}
