import type { AsyncLocalStorage } from "node:async_hooks";
import { type Attributes, type Context, type Span, type SpanKind, type Tracer, trace } from "@opentelemetry/api";
import type { TracedOutcome, Tracing } from "@tenon/core/platform";
import { emptyContext } from "../otel/light-context.ts";
import type { SpanErrors } from "./span-errors.ts";

/** How the operations of a channel become spans. */
export interface Operation<Payload extends TracedOutcome> {
  readonly tracing: Tracing<Payload>;
  /** Whether it begins a trace where there is none. Others only add to the trace of a request, a job or a command. */
  readonly startsTraces?: boolean;
  readonly kind: SpanKind;
  /** The name of its span; undefined where it gets none. */
  nameOf(payload: Payload): string | undefined;
  attributesOf(payload: Payload): Attributes;
  /** Defaults to what is active. */
  parentOf?(payload: Payload, active: Context): Context;
  /** Defaults to a store that is bound to the channel. Returns the function that ends it. */
  bindStore?(storage: AsyncLocalStorage<Context>, begin: (payload: Payload) => Context): () => void;
  /** Called before the operation runs, with the context of its span, or of the one around it. */
  onStart?(payload: Payload, context: Context): void;
  onEnd?(payload: Payload, span: Span): void;
}

export interface SpanBridgeParts {
  readonly tracer: Tracer;
  readonly storage: AsyncLocalStorage<Context>;
  readonly errors: SpanErrors;
  /** Whether the sampler may look at attributes. Without them a trace that is not sampled costs less. */
  readonly hasEarlyAttributes: boolean;
}

/** Turns operations into spans: the storage is bound to their channels, so that what runs inside becomes a child. */
export class SpanBridge {
  readonly #parts: SpanBridgeParts;
  /** Where a payload keeps its span. */
  readonly #key = Symbol("span");

  constructor(parts: SpanBridgeParts) {
    this.#parts = parts;
  }

  /** Returns the function that ends it. */
  connect<Payload extends TracedOutcome>(operation: Operation<Payload>): () => void {
    const { tracing } = operation;
    const subscribers = { asyncEnd: (payload: Payload) => this.#end(operation, payload) };
    const unbind = this.#bind(operation);
    tracing.subscribe(subscribers);
    return () => {
      unbind();
      tracing.unsubscribe(subscribers);
    };
  }

  #bind<Payload extends TracedOutcome>(operation: Operation<Payload>): () => void {
    const begin = (payload: Payload) => this.#begin(operation, payload);
    if (operation.bindStore !== undefined) return operation.bindStore(this.#parts.storage, begin);
    const { start } = operation.tracing;
    const storage = this.#parts.storage as AsyncLocalStorage<unknown>; // the type of a channel allows any value in a store
    start.bindStore(storage, begin);
    return () => void start.unbindStore(storage);
  }

  #begin<Payload extends TracedOutcome>(operation: Operation<Payload>, payload: Payload): Context {
    const active = this.#parts.storage.getStore() ?? emptyContext;
    const hasSpan = operation.startsTraces === true || trace.getSpan(active)?.isRecording() === true;
    const name = hasSpan ? operation.nameOf(payload) : undefined;
    if (name === undefined) {
      operation.onStart?.(payload, active);
      return active;
    }
    const { kind } = operation;
    const parent = operation.parentOf?.(payload, active) ?? active;
    const options = this.#parts.hasEarlyAttributes ? { kind, attributes: operation.attributesOf(payload) } : { kind };
    const span = this.#parts.tracer.startSpan(name, options, parent);
    const context = trace.setSpan(parent, span);
    if (span.isRecording()) {
      (payload as TracedOutcome)[this.#key] = span;
      if (!this.#parts.hasEarlyAttributes) span.setAttributes(operation.attributesOf(payload));
    }
    operation.onStart?.(payload, context);
    return context;
  }

  #end<Payload extends TracedOutcome>(operation: Operation<Payload>, payload: Payload): void {
    const span = payload[this.#key] as Span | undefined; // only this class sets it
    if (span === undefined) return;
    this.#parts.errors.record(span, payload.error);
    operation.onEnd?.(payload, span);
    span.end();
  }
}
