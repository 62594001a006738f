import type { AsyncLocalStorage } from "node:async_hooks";
import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type Span,
  type SpanKind,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import type { Signal, SignalOutcome } from "@tenon/core/platform";
import type { Failures } from "../failures.ts";

export interface SpanDescription {
  readonly name: string;
  readonly kind: SpanKind;
  readonly attributes: Attributes;
}

/** How the operations of a channel become spans. */
export interface Operation<Payload extends SignalOutcome> {
  readonly signal: Signal<Payload>;
  /** Whether it begins a trace where there is none. Others only add to the trace of a request, a job or a command. */
  readonly startsTraces?: boolean;
  /** Undefined where the operation gets no span. */
  describe(payload: Payload): SpanDescription | undefined;
  /** Defaults to what is active. */
  parentOf?(payload: Payload, active: Context): Context;
  /** Called before the operation runs, with the context of its span, or of the one around it. */
  onStart?(payload: Payload, context: Context): void;
  onEnd?(payload: Payload, span: Span): void;
}

/** Turns operations into spans: the storage is bound to their channels, so that what runs inside becomes a child. */
export class SpanBridge {
  readonly #tracer: Tracer;
  readonly #storage: AsyncLocalStorage<Context>;
  readonly #failures: Failures;
  readonly #spans = new WeakMap<object, Span>();

  constructor(tracer: Tracer, storage: AsyncLocalStorage<Context>, failures: Failures) {
    this.#tracer = tracer;
    this.#storage = storage;
    this.#failures = failures;
  }

  /** Returns the function that ends it. */
  connect<Payload extends SignalOutcome>(operation: Operation<Payload>): () => void {
    const { signal } = operation;
    const subscribers = { asyncEnd: (payload: Payload) => this.#end(operation, payload) };
    const storage = this.#storage as AsyncLocalStorage<unknown>; // the type of a signal allows any value in a store
    signal.start.bindStore(storage, (payload) => this.#begin(operation, payload));
    signal.subscribe(subscribers);
    return () => {
      signal.start.unbindStore(storage);
      signal.unsubscribe(subscribers);
    };
  }

  #begin<Payload extends SignalOutcome>(operation: Operation<Payload>, payload: Payload): Context {
    const active = this.#storage.getStore() ?? ROOT_CONTEXT;
    const hasSpan = operation.startsTraces === true || trace.getSpan(active)?.isRecording() === true;
    const description = hasSpan ? operation.describe(payload) : undefined;
    if (description === undefined) {
      operation.onStart?.(payload, active);
      return active;
    }
    const { name, kind, attributes } = description;
    const parent = operation.parentOf?.(payload, active) ?? active;
    const span = this.#tracer.startSpan(name, { kind, attributes }, parent);
    const context = trace.setSpan(parent, span);
    if (span.isRecording()) this.#spans.set(payload, span);
    operation.onStart?.(payload, context);
    return context;
  }

  #end<Payload extends SignalOutcome>(operation: Operation<Payload>, payload: Payload): void {
    const span = this.#spans.get(payload);
    if (span === undefined) return;
    this.#failures.record(span, payload.error);
    operation.onEnd?.(payload, span);
    span.end();
  }
}
