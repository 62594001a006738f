import { SpanKind } from "@opentelemetry/api";
import { type HandlerSignal, handlerSignal, type MiddlewareSignal, middlewareSignal } from "@tenon/core/platform";
import type { Operation } from "./span-bridge.ts";

export const middlewareSpans: Operation<MiddlewareSignal> = {
  signal: middlewareSignal,
  describe: ({ name }) => ({ name, kind: SpanKind.INTERNAL, attributes: { "tenon.middleware": name } }),
};

export const handlerSpans: Operation<HandlerSignal> = {
  signal: handlerSignal,
  describe: ({ name }) => ({ name, kind: SpanKind.INTERNAL, attributes: { "tenon.handler": name } }),
};
