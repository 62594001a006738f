import { AsyncLocalStorage } from "node:async_hooks";
import { type Channel, channel, type TracingChannel, tracingChannel } from "node:diagnostics_channel";
import type { TracedHash } from "@tenon/auth";
import { causesOf, toHttpError } from "@tenon/core/internal";
import type { LoggedLine, TracedHandler, TracedMiddleware, TracedOutcome } from "@tenon/core/platform";
import type { TracedRedis, TracedSql } from "@tenon/data";
import type { TracedEnqueue, TracedJob } from "@tenon/jobs";
import type { TracedEvent, TracedMessage } from "@tenon/live";
import type { TracedView } from "@tenon/web";
import type { LooseError } from "./record-buffer.ts";
import type { Recorded, SpanKind } from "./recorded.ts";
import { toRecordedLine } from "./recorded-line.ts";
import { type OpenSpan, Recording, type SpanOutcome } from "./recording.ts";
import { redactQuery } from "./redact-query.ts";

/** Where the current operation belongs to. */
interface Scope {
  /** Undefined for requests that are not recorded. */
  readonly recording: Recording | undefined;
  readonly depth: number;
}

type ScopedChannel = TracingChannel<object, Scope | undefined>;

interface Begun {
  readonly recording: Recording;
  readonly span: OpenSpan;
}

/** A message of Node about a request of its `fetch`. */
interface FetchMessage {
  readonly request: { readonly origin: string | URL; readonly path: string; readonly method: string };
  readonly error?: unknown;
}

export interface TraceTargets {
  /** An attempt of a job, or the handler of a message, is over. */
  readonly onRecord: (record: Recorded) => void;
  /** An error was logged outside of a request and a job. */
  readonly onError: (error: LooseError) => void;
}

/** Listens to the diagnostics channels and assigns what happens to the request or job in which it happens. */
export class TraceRecorder {
  readonly #scopes = new AsyncLocalStorage<Scope | undefined>();
  readonly #begun = new WeakMap<object, Begun>();
  readonly #targets: TraceTargets;
  readonly #ends: (() => void)[] = [];

  constructor(targets: TraceTargets) {
    this.#targets = targets;
  }

  /** Runs a function whose operations belong to this recording; to none without one. */
  run<T>(recording: Recording | undefined, body: () => T): T {
    return this.#scopes.run({ recording, depth: 0 }, body);
  }

  /** What is recorded here. */
  get current(): Recording | undefined {
    return this.#scopes.getStore()?.recording;
  }

  start(): void {
    this.#watch<TracedMiddleware>("middleware", ({ name }) => name);
    this.#watch<TracedHandler>("handler", ({ name }) => name);
    this.#watch<TracedView>("view", ({ view }) => view);
    this.#watch<TracedSql>(
      "sql",
      ({ sql }) => sql,
      ({ rows }) => (rows === undefined ? {} : { rows }),
    );
    this.#watch<TracedRedis>("redis", ({ command }) => command);
    this.#watch<TracedHash>("hash", ({ operation }) => `${operation} a password`);
    this.#watch<TracedEnqueue>(
      "enqueue",
      ({ job }) => job,
      ({ id, count = 1 }) => ({
        ...(id === undefined ? {} : { job: id }),
        ...(count > 1 ? { note: `${count} jobs` } : {}),
      }),
    );
    this.#watch<TracedEvent>(
      "event",
      ({ topic, event }) => `${event} to ${topic}`,
      ({ subscribers }) => (subscribers === undefined ? {} : { note: `${subscribers} subscribers here` }),
    );
    this.#watchJobs();
    this.#watchMessages();
    this.#watchFetch();
    this.#on(channel("tenon.log.line"), (message) => this.#addLine((message as LoggedLine).line)); // the payload of this channel
  }

  stop(): void {
    for (const end of this.#ends.splice(0)) end();
  }

  #watch<P extends TracedOutcome>(
    kind: SpanKind,
    nameOf: (payload: P) => string,
    outcomeOf: (payload: P) => SpanOutcome = () => ({}),
  ): void {
    const tracing: ScopedChannel = tracingChannel(`tenon.${kind}`);
    this.#bind(tracing, (payload) => this.#begin(kind, payload, nameOf(payload as P))); // the payload of this channel
    this.#on(tracing.asyncEnd, (payload) => this.#end(payload, outcomeOf(payload as P)));
  }

  /** The operations inside this one get the store that `begin` returns. */
  #bind(tracing: ScopedChannel, begin: (payload: object) => Scope | undefined): void {
    tracing.start.bindStore(this.#scopes, begin);
    this.#ends.push(() => tracing.start.unbindStore(this.#scopes));
  }

  #on(source: Pick<Channel, "subscribe" | "unsubscribe">, listener: (message: object) => void): void {
    const subscriber = (message: unknown) => listener(message as object); // each payload is one
    source.subscribe(subscriber);
    this.#ends.push(() => source.unsubscribe(subscriber));
  }

  #begin(kind: SpanKind, payload: object, name: string): Scope | undefined {
    const scope = this.#scopes.getStore();
    const recording = scope?.recording;
    if (scope === undefined || recording === undefined) return scope;
    if ("ctx" in payload) {
      const { ctx } = payload as TracedMiddleware; // only those of middlewares and handlers have one
      recording.ctx = ctx;
      if (kind === "handler") recording.handler = name;
    }
    const database = "database" in payload ? String(payload.database) : undefined;
    this.#begun.set(payload, { recording, span: recording.begin(kind, name, scope.depth, database) });
    return { recording, depth: scope.depth + 1 };
  }

  #end(payload: object, outcome: SpanOutcome): void {
    const begun = this.#begun.get(payload);
    if (begun === undefined) return;
    const { error } = payload as TracedOutcome; // a field of each payload
    begun.recording.end(begun.span, { ...outcome, ...(error === undefined ? {} : { error: messageOf(error) }) });
  }

  /** An attempt of a job is a record of its own. */
  #watchJobs(): void {
    const tracing: ScopedChannel = tracingChannel("tenon.job");
    const running = new WeakMap<object, Recording>();
    this.#bind(tracing, (payload) => {
      const recording = new Recording("job");
      running.set(payload, recording);
      return { recording, depth: 0 };
    });
    this.#on(tracing.asyncEnd, (payload) => {
      const { job, id, queue, attempt, state = "unknown" } = payload as TracedJob;
      const recording = running.get(payload);
      if (recording !== undefined) {
        this.#targets.onRecord(recording.finish("", job, { job: { id, queue, attempt, state } }));
      }
    });
  }

  /** So is a message of a WebSocket. */
  #watchMessages(): void {
    const tracing: ScopedChannel = tracingChannel("tenon.message");
    const running = new WeakMap<object, Recording>();
    this.#bind(tracing, (payload) => {
      const { ctx, message } = payload as TracedMessage;
      const recording = new Recording("message");
      recording.ctx = ctx;
      recording.handler = message;
      running.set(payload, recording);
      return { recording, depth: 0 };
    });
    this.#on(tracing.asyncEnd, (payload) => {
      const { ctx, error } = payload as TracedMessage;
      const status = error === undefined ? 200 : toHttpError(error).status;
      const record = running.get(payload)?.finish("WS", ctx.path, { status });
      if (record !== undefined) this.#targets.onRecord(record);
    });
  }

  #watchFetch(): void {
    const begun = new WeakMap<object, Begun>();
    this.#on(channel("undici:request:create"), (message) => {
      const { request } = message as FetchMessage; // as Node documents it, as below
      const scope = this.#scopes.getStore();
      if (scope?.recording === undefined) return;
      const name = `${request.method} ${request.origin}${redactQuery(request.path)}`;
      begun.set(request, { recording: scope.recording, span: scope.recording.begin("fetch", name, scope.depth) });
    });
    for (const event of ["headers", "trailers", "error"]) {
      this.#on(channel(`undici:request:${event}`), (message) => {
        const { request, error } = message as FetchMessage;
        const hasFailed = error instanceof Error && error.name !== "AbortError"; // else the caller has cancelled it
        const known = begun.get(request);
        known?.recording.end(known.span, hasFailed ? { error: messageOf(error) } : {});
      });
    }
  }

  #addLine(text: string): void {
    const scope = this.#scopes.getStore();
    if (scope !== undefined) {
      const line = scope.recording === undefined ? undefined : toRecordedLine(text);
      if (line !== undefined) scope.recording?.addLine({ ...line, depth: scope.depth });
      return;
    }
    const line = toRecordedLine(text);
    if (line?.error !== undefined) {
      this.#targets.onError({ ...line.error, at: new Date().toISOString(), line: line.message });
    }
  }
}

function messageOf(error: unknown): string {
  const causes = causesOf(error);
  if (causes.length === 0) return String(error);
  return causes.map(({ name, message }) => `${name}: ${message}`).join("\n[cause] ");
}
