import { AsyncLocalStorage } from "node:async_hooks";
import { type Channel, channel, type TracingChannel, tracingChannel } from "node:diagnostics_channel";
import type { HandlerSignal, LogLineSignal, MiddlewareSignal, SignalOutcome } from "@tenon/core/platform";
import type { LooseError } from "./record-buffer.ts";
import type { Recorded, SpanKind } from "./recorded.ts";
import { toRecordedLine } from "./recorded-line.ts";
import { type OpenSpan, Recording, type SpanOutcome } from "./recording.ts";
import { redactQuery } from "./redact.ts";

/** Where the current operation belongs to. */
interface Scope {
  /** Undefined for requests that are not recorded. */
  readonly recording: Recording | undefined;
  readonly depth: number;
}

type ScopedChannel = TracingChannel<object, Scope | undefined>;

/** The payloads of packages that this one does not depend on: docs/observability.md has their fields. */
interface Payloads {
  readonly sql: SignalOutcome & { readonly database: string; readonly sql: string; readonly rows?: number };
  readonly redis: SignalOutcome & { readonly command: string };
  readonly hash: SignalOutcome & { readonly operation: string };
  readonly enqueue: SignalOutcome & { readonly job: string; readonly id?: number; readonly count?: number };
  readonly event: SignalOutcome & { readonly topic: string; readonly event: string; readonly subscribers?: number };
  readonly job: SignalOutcome & {
    readonly job: string;
    readonly id: number;
    readonly queue: string;
    readonly attempt: number;
    readonly state?: string;
  };
}

/** The request of Node's own channels. */
interface OutgoingFetch {
  readonly request: { readonly method: string; readonly origin: string; readonly path: string };
  readonly error?: unknown;
}

interface Begun {
  readonly recording: Recording;
  readonly span: OpenSpan;
}

export interface SignalTargets {
  /** An attempt of a job is over. */
  readonly onJob: (record: Recorded) => void;
  /** An error was logged outside of a request and a job. */
  readonly onError: (error: LooseError) => void;
}

/** Listens to the diagnostics channels and assigns what happens to the request or job in which it happens. */
export class SignalRecorder {
  readonly #scopes = new AsyncLocalStorage<Scope | undefined>();
  readonly #begun = new WeakMap<object, Begun>();
  readonly #targets: SignalTargets;
  readonly #ends: (() => void)[] = [];

  constructor(targets: SignalTargets) {
    this.#targets = targets;
  }

  /** Runs a function whose operations belong to this recording; to none without one. */
  run<T>(recording: Recording | undefined, body: () => T): T {
    return this.#scopes.run({ recording, depth: 0 }, body);
  }

  start(): void {
    this.#watch<MiddlewareSignal>("middleware", ({ name }) => name);
    this.#watch<HandlerSignal>("handler", ({ name }) => name);
    this.#watch<Payloads["sql"]>(
      "sql",
      ({ sql }) => sql,
      ({ rows }) => (rows === undefined ? {} : { rows }),
    );
    this.#watch<Payloads["redis"]>("redis", ({ command }) => command);
    this.#watch<Payloads["hash"]>("hash", ({ operation }) => `${operation} a password`);
    this.#watch<Payloads["enqueue"]>(
      "enqueue",
      ({ job }) => job,
      ({ id, count = 1 }) => ({
        ...(id === undefined ? {} : { job: id }),
        ...(count > 1 ? { note: `${count} jobs` } : {}),
      }),
    );
    this.#watch<Payloads["event"]>(
      "event",
      ({ topic, event }) => `${event} to ${topic}`,
      ({ subscribers }) => (subscribers === undefined ? {} : { note: `${subscribers} subscribers here` }),
    );
    this.#watchJobs();
    this.#watchFetch();
    this.#on(channel("tenon.log.line"), (message) => this.#addLine((message as LogLineSignal).line)); // the payload of this channel
  }

  stop(): void {
    for (const end of this.#ends.splice(0)) end();
  }

  #watch<P extends SignalOutcome>(
    kind: SpanKind,
    nameOf: (payload: P) => string,
    outcomeOf: (payload: P) => SpanOutcome = () => ({}),
  ): void {
    const signal: ScopedChannel = tracingChannel(`tenon.${kind}`);
    this.#bind(signal, (payload) => this.#begin(kind, payload, nameOf(payload as P))); // see Payloads
    this.#on(signal.asyncEnd, (payload) => this.#end(payload, outcomeOf(payload as P)));
  }

  /** The operations inside this one get the store that `begin` returns. */
  #bind(signal: ScopedChannel, begin: (payload: object) => Scope | undefined): void {
    signal.start.bindStore(this.#scopes, begin);
    this.#ends.push(() => signal.start.unbindStore(this.#scopes));
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
      const { ctx } = payload as MiddlewareSignal; // only those of middlewares and handlers have one
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
    const { error } = payload as SignalOutcome; // a field of each payload
    begun.recording.end(begun.span, { ...outcome, ...(error === undefined ? {} : { error: messageOf(error) }) });
  }

  /** An attempt of a job is a record of its own. */
  #watchJobs(): void {
    const signal: ScopedChannel = tracingChannel("tenon.job");
    const running = new WeakMap<object, Recording>();
    this.#bind(signal, (payload) => {
      const recording = new Recording("job");
      running.set(payload, recording);
      return { recording, depth: 0 };
    });
    this.#on(signal.asyncEnd, (payload) => {
      const { job, id, queue, attempt, state = "unknown" } = payload as Payloads["job"];
      const recording = running.get(payload);
      if (recording !== undefined) {
        this.#targets.onJob(recording.finish("", job, { job: { id, queue, attempt, state } }));
      }
    });
  }

  #watchFetch(): void {
    const begun = new WeakMap<object, Begun>();
    this.#on(channel("undici:request:create"), (message) => {
      const { request } = message as OutgoingFetch; // documented by undici
      const scope = this.#scopes.getStore();
      if (scope?.recording === undefined) return;
      const name = `${request.method} ${request.origin}${redactQuery(request.path)}`;
      begun.set(request, { recording: scope.recording, span: scope.recording.begin("fetch", name, scope.depth) });
    });
    const end = (message: object) => {
      const { request, error } = message as OutgoingFetch;
      const known = begun.get(request);
      known?.recording.end(known.span, error === undefined ? {} : { error: messageOf(error) });
    };
    this.#on(channel("undici:request:headers"), end);
    this.#on(channel("undici:request:trailers"), end);
    this.#on(channel("undici:request:error"), end);
  }

  #addLine(text: string): void {
    const scope = this.#scopes.getStore();
    if (scope !== undefined) {
      const line = scope.recording === undefined ? undefined : toRecordedLine(text);
      if (line !== undefined) scope.recording?.addLine(line);
      return;
    }
    const line = toRecordedLine(text);
    if (line?.error !== undefined) {
      this.#targets.onError({ ...line.error, at: new Date().toISOString(), line: line.message });
    }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
