import { type Context, propagation, type Span, SpanKind, SpanStatusCode, type Tracer, trace } from "@opentelemetry/api";
import { toKnownMethod, toSpanMethod } from "../conventions.ts";
import { type FetchListener, type FetchListeners, type FetchRequest, isAbort } from "../fetch-channels.ts";
import type { SpanErrors } from "./span-errors.ts";

/** Spans of outgoing requests, which carry the trace to the next service. */
export class FetchSpans implements FetchListeners {
  readonly #tracer: Tracer;
  readonly #active: () => Context;
  readonly #errors: SpanErrors;
  readonly #spans = new WeakMap<FetchRequest, Span>();

  constructor(tracer: Tracer, active: () => Context, errors: SpanErrors) {
    this.#tracer = tracer;
    this.#active = active;
    this.#errors = errors;
  }

  readonly create: FetchListener = ({ request }) => {
    const active = this.#active();
    const around = trace.getSpan(active);
    if (around === undefined) return;
    const span = around.isRecording() ? this.#start(request, active) : undefined;
    const carrier: Record<string, string> = {};
    propagation.inject(span === undefined ? active : trace.setSpan(active, span), carrier);
    for (const [name, value] of Object.entries(carrier)) if (!hasHeader(request, name)) request.addHeader(name, value);
  };

  readonly headers: FetchListener = ({ request, response }) => {
    const span = this.#spans.get(request);
    if (span === undefined || response === undefined) return;
    span.setAttribute("http.response.status_code", response.statusCode);
    if (response.statusCode < 400) return;
    span.setStatus({ code: SpanStatusCode.ERROR });
    span.setAttribute("error.type", String(response.statusCode));
  };

  readonly trailers: FetchListener = ({ request }) => this.#end(request);

  readonly error: FetchListener = ({ request, error }) => {
    const span = this.#spans.get(request);
    // a caller that aborts, or does not read the body, does so on purpose
    if (span !== undefined && !isAbort(error)) this.#errors.record(span, error);
    this.#end(request);
  };

  #start(request: FetchRequest, active: Context): Span | undefined {
    const url = URL.parse(request.path, String(request.origin));
    if (url === null) return undefined;
    const method = toKnownMethod(request.method);
    const port = url.port || (url.protocol === "https:" ? "443" : "80");
    const attributes = {
      "http.request.method": method,
      "url.full": url.origin + url.pathname, // neither the query nor credentials
      "server.address": url.hostname,
      "server.port": Number(port),
    };
    const span = this.#tracer.startSpan(toSpanMethod(request.method), { kind: SpanKind.CLIENT, attributes }, active);
    this.#spans.set(request, span);
    return span;
  }

  #end(request: FetchRequest): void {
    this.#spans.get(request)?.end();
    this.#spans.delete(request);
  }
}

function hasHeader({ headers }: FetchRequest, name: string): boolean {
  if (typeof headers === "string") return headers.toLowerCase().includes(`${name}:`);
  return headers.some((item, index) => index % 2 === 0 && String(item).toLowerCase() === name);
}
