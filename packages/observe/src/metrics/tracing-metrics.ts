import type { Attributes, Meter } from "@opentelemetry/api";
import type { DroppedLines, TracedOutcome, TracedRequest, Tracing } from "@tenon/core/platform";
import { countsAsError, toKnownMethod, toSystemName, typeOf } from "../conventions.ts";
import { type FetchMessage, type FetchRequest, isAbort, listenToFetch } from "../fetch-channels.ts";
import type { SqlSummaries } from "../spans/sql-text.ts";
import {
  hashTracing,
  jobTracing,
  logDroppedChannel,
  messageTracing,
  redisTracing,
  requestTracing,
  sqlTracing,
} from "../tracing.ts";
import { DurationHistogram } from "./duration-histogram.ts";
import { type Family, toFamily } from "./family.ts";

/** Measures operations, whether or not they are traced. */
export class TracingMetrics {
  /** Where a payload keeps its start in milliseconds, and that of a request whether it is counted. */
  readonly #key = Symbol("start");
  readonly #calling = new WeakMap<FetchRequest, number>();
  readonly #requests = new DurationHistogram(
    "http.server.request.duration",
    "Requests, in seconds until the response is ready",
  );
  readonly #calls = new DurationHistogram("http.client.request.duration", "Requests by fetch, in seconds");
  readonly #statements = new DurationHistogram(
    "db.client.operation.duration",
    "Statements and commands of stores, in seconds",
  );
  readonly #jobs = new DurationHistogram("messaging.process.duration", "Attempts to run a job, in seconds");
  readonly #messages = new DurationHistogram(
    "tenon.message.duration",
    "Messages of WebSockets in their handlers, in seconds",
  );
  readonly #hashes = new DurationHistogram(
    "tenon.password.duration",
    "Password hashes, queue time included, in seconds",
  );
  readonly #histograms = [this.#requests, this.#calls, this.#statements, this.#jobs, this.#messages, this.#hashes];
  readonly #summaries: SqlSummaries;
  readonly #statuses = new WeakMap<FetchRequest, number>();
  #active = 0;
  #droppedLines = 0;

  constructor(summaries: SqlSummaries) {
    this.#summaries = summaries;
  }

  /** `meter` sends the figures, too. Returns the function that ends it. */
  connect(meter: Meter | undefined): () => void {
    const onDropped = (message: unknown) => {
      this.#droppedLines += (message as DroppedLines).count; // the payload of this channel
    };
    logDroppedChannel.subscribe(onDropped);
    const disconnect = [
      this.#measureRequests(),
      this.#measure(sqlTracing, this.#statements, ({ database, sql, error }) => {
        const { operation } = this.#summaries.of(sql);
        return { "db.system.name": toSystemName(database), "db.operation.name": operation, ...errorOf(error) };
      }),
      this.#measure(redisTracing, this.#statements, ({ command, error }) => ({
        "db.system.name": "redis",
        "db.operation.name": command,
        ...errorOf(error),
      })),
      this.#measure(jobTracing, this.#jobs, ({ job, queue, state = "failed" }) => ({
        "messaging.system": "tenon.jobs",
        "messaging.destination.name": queue,
        "tenon.job.name": job,
        "tenon.job.state": state,
      })),
      this.#measure(messageTracing, this.#messages, ({ ctx, message, error }) => ({
        "http.route": ctx.route?.path ?? "",
        "tenon.message": message,
        ...errorOf(error),
      })),
      this.#measure(hashTracing, this.#hashes, ({ operation }) => ({ "tenon.password.operation": operation })),
      this.#measureCalls(),
      () => logDroppedChannel.unsubscribe(onDropped),
      meter === undefined ? () => {} : this.#sendTo(meter),
    ];
    return () => {
      for (const end of disconnect) end();
    };
  }

  /** Returns the function that ends it. */
  #sendTo(meter: Meter): () => void {
    for (const histogram of this.#histograms) histogram.sendTo(meter);
    const active = meter.createObservableUpDownCounter("http.server.active_requests", { unit: "{request}" });
    const observe = (result: { observe(value: number): void }) => result.observe(this.#active);
    active.addCallback(observe);
    return () => active.removeCallback(observe);
  }

  read(): Family[] {
    return [
      ...this.#histograms.map((histogram) => histogram.read()),
      toFamily("http_server_active_requests", "Requests that are being handled", "gauge", this.#active),
      toFamily("tenon_log_lines_dropped_total", "Log lines that could not be written", "counter", this.#droppedLines),
    ];
  }

  /**
   * Jobs and commands are left out. A request is active from the end of its synchronous part: nothing can
   * read the figure before, and a subscriber of `start` would cost more than the rest.
   */
  #measureRequests(): () => void {
    const end = (payload: TracedRequest) => {
      if (payload.incoming.isCommand === true) return;
      payload[this.#key] = true;
      this.#active++;
    };
    const asyncEnd = (payload: TracedRequest) => {
      if (payload[this.#key] !== true) return;
      this.#active--;
      const seconds = (performance.now() - payload.startTime) / 1000;
      const key = `${toKnownMethod(payload.method)} ${payload.status} ${payload.route}`;
      this.#requests.record(seconds, key, () => toRequestAttributes(payload));
    };
    const subscribers = { end, asyncEnd };
    requestTracing.subscribe(subscribers);
    return () => requestTracing.unsubscribe(subscribers);
  }

  #measureCalls(): () => void {
    const end = ({ request, error }: FetchMessage) => {
      const start = this.#calling.get(request);
      if (start === undefined) return;
      this.#calling.delete(request);
      const attributes = toCallAttributes(request, this.#statuses.get(request), error);
      this.#calls.record((performance.now() - start) / 1000, JSON.stringify(attributes), () => attributes);
    };
    return listenToFetch({
      create: ({ request }) => void this.#calling.set(request, performance.now()),
      headers: ({ request, response }) => void this.#statuses.set(request, response?.statusCode ?? 0),
      trailers: end,
      error: end,
    });
  }

  #measure<Payload extends TracedOutcome>(
    tracing: Tracing<Payload>,
    histogram: DurationHistogram,
    toAttributes: (payload: Payload) => Attributes,
  ): () => void {
    const onStart = (payload: TracedOutcome) => {
      payload[this.#key] = performance.now();
    };
    const onEnd = (payload: Payload) => {
      const start = payload[this.#key];
      if (typeof start !== "number") return;
      const attributes = toAttributes(payload);
      histogram.record((performance.now() - start) / 1000, JSON.stringify(attributes), () => attributes);
    };
    return listen(tracing, onStart, onEnd);
  }
}

/** Returns the function that ends it. */
function listen<Payload extends TracedOutcome>(
  tracing: Tracing<Payload>,
  start: (payload: Payload) => void,
  asyncEnd: (payload: Payload) => void,
): () => void {
  const subscribers = { start, asyncEnd };
  tracing.subscribe(subscribers);
  return () => tracing.unsubscribe(subscribers);
}

function toRequestAttributes({ method, route, status = 0, incoming }: TracedRequest): Attributes {
  return {
    "http.request.method": toKnownMethod(method),
    "url.scheme": incoming.protocol,
    "http.response.status_code": status,
    ...(route === undefined ? {} : { "http.route": route }),
    ...(status < 500 ? {} : { "error.type": String(status) }),
  };
}

function toCallAttributes({ method, origin }: FetchRequest, status: number | undefined, error: unknown): Attributes {
  const { hostname = "" } = URL.parse(String(origin)) ?? {};
  return {
    "http.request.method": toKnownMethod(method),
    "server.address": hostname,
    ...(status === undefined ? {} : { "http.response.status_code": status }),
    ...(isAbort(error) ? {} : errorOf(error)),
  };
}

function errorOf(error: unknown): Attributes {
  return countsAsError(error) ? { "error.type": typeOf(error) } : {};
}
