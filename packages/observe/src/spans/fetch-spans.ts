import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { type Context, propagation, type Span, SpanKind, SpanStatusCode, type Tracer, trace } from "@opentelemetry/api";
import type { Failures } from "../failures.ts";
import { toKnownMethod } from "./request-spans.ts";

/** What Node's `fetch` publishes, as far as it is used here. */
export interface FetchRequest {
  readonly origin: string | URL;
  readonly path: string;
  readonly method: string;
  /** Names and values in turn. */
  readonly headers: readonly unknown[] | string;
  addHeader(name: string, value: string): void;
}

export interface FetchMessage {
  readonly request: FetchRequest;
  readonly response?: { readonly statusCode: number };
  readonly error?: unknown;
}

type Listener = (message: FetchMessage) => void;

export interface FetchListeners {
  readonly create: Listener;
  readonly headers: Listener;
  readonly trailers: Listener;
  readonly error: Listener;
}

/** Listens to the requests of Node's `fetch`. Returns the function that ends it. */
export function listenToFetch(listeners: FetchListeners): () => void {
  const entries = Object.entries(listeners).map(
    ([name, listener]) => [`undici:request:${name}`, listener as (message: unknown) => void] as const, // as Node documents them
  );
  for (const [name, listener] of entries) subscribe(name, listener);
  return () => {
    for (const [name, listener] of entries) unsubscribe(name, listener);
  };
}

/** Spans of outgoing requests, which carry the trace to the next service. */
export class FetchSpans implements FetchListeners {
  readonly #tracer: Tracer;
  readonly #active: () => Context;
  readonly #failures: Failures;
  readonly #spans = new WeakMap<FetchRequest, Span>();

  constructor(tracer: Tracer, active: () => Context, failures: Failures) {
    this.#tracer = tracer;
    this.#active = active;
    this.#failures = failures;
  }

  readonly create: Listener = ({ request }) => {
    const active = this.#active();
    const around = trace.getSpan(active);
    if (around === undefined) return;
    const span = around.isRecording() ? this.#start(request, active) : undefined;
    const carrier: Record<string, string> = {};
    propagation.inject(span === undefined ? active : trace.setSpan(active, span), carrier);
    for (const [name, value] of Object.entries(carrier)) if (!hasHeader(request, name)) request.addHeader(name, value);
  };

  readonly headers: Listener = ({ request, response }) => {
    const span = this.#spans.get(request);
    if (span === undefined || response === undefined) return;
    span.setAttribute("http.response.status_code", response.statusCode);
    if (response.statusCode < 400) return;
    span.setStatus({ code: SpanStatusCode.ERROR });
    span.setAttribute("error.type", String(response.statusCode));
  };

  readonly trailers: Listener = ({ request }) => this.#end(request);

  readonly error: Listener = ({ request, error }) => {
    const span = this.#spans.get(request);
    // a caller that aborts does so on purpose
    if (span !== undefined && !isAbort(error)) this.#failures.record(span, error);
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
    const span = this.#tracer.startSpan(
      method === "_OTHER" ? "HTTP" : method,
      { kind: SpanKind.CLIENT, attributes },
      active,
    );
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

export function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === "AbortError";
}
