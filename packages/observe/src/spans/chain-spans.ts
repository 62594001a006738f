import { SpanKind } from "@opentelemetry/api";
import { handlerSignal, middlewareSignal } from "@tenon/core/internal";
import type { HandlerSignal, MiddlewareSignal } from "@tenon/core/platform";
import type { Operation } from "./span-bridge.ts";

export const middlewareSpans: Operation<MiddlewareSignal> = {
  signal: middlewareSignal,
  kind: SpanKind.INTERNAL,
  nameOf: ({ name }) => name,
  attributesOf: ({ name }) => ({ "tenon.middleware": name }),
};

export const handlerSpans: Operation<HandlerSignal> = {
  signal: handlerSignal,
  kind: SpanKind.INTERNAL,
  nameOf: ({ name }) => name,
  attributesOf: ({ name }) => ({ "tenon.handler": name }),
};
