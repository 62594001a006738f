import { type Attributes, propagation, SpanKind, SpanStatusCode, type TextMapGetter } from "@opentelemetry/api";
import { requestStore, SafePaths } from "@tenon/core/internal";
import type { Incoming, TracedHandler, TracedMiddleware, TracedRequest } from "@tenon/core/platform";
import { toKnownMethod, toSpanMethod } from "../conventions.ts";
import type { ObserveSettings } from "../settings.ts";
import { handlerTracing, middlewareTracing, requestTracing } from "../tracing.ts";
import type { Operation } from "./span-bridge.ts";

const headers: TextMapGetter<Incoming> = {
  get: (incoming, name) => incoming.header(name),
  keys: (incoming) => Object.keys(incoming.headers()),
};

/** Spans of requests and commands, with the names of the HTTP conventions. */
export function createRequestSpans(options: ObserveSettings): Operation<TracedRequest> {
  const paths = new SafePaths();
  return {
    tracing: requestTracing,
    startsTraces: true,
    kind: SpanKind.SERVER,
    bindStore: (storage, begin) => requestStore.bind(storage, begin),
    nameOf: (payload) => {
      if (payload.platform === "jobs" || options.ignoredPaths.has(payload.path)) return undefined; // a job has a span of its own
      return payload.incoming.isCommand === true ? toCommandName(payload) : toRequestName(payload);
    },
    attributesOf: (payload) =>
      payload.incoming.isCommand === true
        ? { "tenon.command": toCommandName(payload) }
        : describeRequest(payload, paths),
    parentOf: ({ incoming }, active) =>
      options.continueTraces && incoming.isCommand !== true ? propagation.extract(active, incoming, headers) : active,
    onEnd: ({ status, bytes, incoming }, span) => {
      if (incoming.isCommand === true || status === undefined) return;
      span.setAttribute("http.response.status_code", status);
      if (bytes !== undefined) span.setAttribute("http.response.body.size", bytes);
      if (status < 500) return;
      span.setStatus({ code: SpanStatusCode.ERROR });
      span.setAttribute("error.type", String(status));
    },
  };
}

export const middlewareSpans: Operation<TracedMiddleware> = {
  tracing: middlewareTracing,
  kind: SpanKind.INTERNAL,
  nameOf: ({ name }) => name,
  attributesOf: ({ name }) => ({ "tenon.middleware": name }),
};

export const handlerSpans: Operation<TracedHandler> = {
  tracing: handlerTracing,
  kind: SpanKind.INTERNAL,
  nameOf: ({ name }) => name,
  attributesOf: ({ name }) => ({ "tenon.handler": name }),
};

function toRequestName({ method, route }: TracedRequest): string {
  const label = toSpanMethod(method);
  return route === undefined ? label : `${label} ${route}`;
}

function toCommandName({ path, route = path, platform }: TracedRequest): string {
  return route.replace(/^\//, "") || platform;
}

function describeRequest({ method, path, route, incoming }: TracedRequest, paths: SafePaths): Attributes {
  const attributes: Attributes = {
    "http.request.method": toKnownMethod(method),
    "url.path": paths.redact(path, route),
    "url.scheme": incoming.protocol,
  };
  if (route !== undefined) attributes["http.route"] = route;
  const { host } = incoming;
  const port = /:(\d+)$/.exec(host);
  attributes["server.address"] = port === null ? host : host.slice(0, port.index);
  if (port !== null) attributes["server.port"] = Number(port[1]);
  return attributes;
}
