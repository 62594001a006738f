import { type Exception, type Span, SpanStatusCode } from "@opentelemetry/api";
import { causesOf } from "@tenon/core/internal";
import { countsAsError, typeOf } from "../conventions.ts";

/** Records what operations have thrown: an error that passes through several spans is an event of the first one only. */
export class SpanErrors {
  readonly #recorded = new WeakSet<object>();

  /** Marks a span as failed, unless the client has caused the error. */
  record(span: Span, error: unknown): void {
    if (!countsAsError(error)) return;
    span.setStatus({ code: SpanStatusCode.ERROR });
    span.setAttribute("error.type", typeOf(error));
    if (typeof error !== "object" || error === null) {
      span.recordException(`${String(error)} was thrown, which is not an Error`);
    } else if (!this.#recorded.has(error)) {
      this.#recorded.add(error);
      span.recordException(error instanceof Error ? withCauses(error) : { message: "an object was thrown" });
    }
  }
}

/** Exporters leave out causes: an error of a store has that of its database. */
function withCauses(error: Error): Exception {
  const causes = causesOf(error);
  return {
    name: typeOf(error),
    message: causes.map(({ message }) => message).join("\n[cause] "),
    stack: causes.map(({ stack = "" }) => stack).join("\n[cause] "),
  };
}
