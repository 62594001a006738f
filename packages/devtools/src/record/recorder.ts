import { endsWithin } from "@tenon/core/internal";
import type { Incoming, Outgoing, RequestHandler } from "@tenon/core/platform";
import { readSession } from "@tenon/web/platform";
import { withoutSecret } from "../developer-access.ts";
import type { RecordBuffer } from "./record-buffer.ts";
import type { Recorded, RecordedBody, RecordedMessage } from "./recorded.ts";
import { RecordedIncoming } from "./recorded-incoming.ts";
import { Recording } from "./recording.ts";
import { redactAddresses, redactHeaders, redactSession, toRecordedBody, toRequestBody } from "./redact.ts";
import { TraceRecorder } from "./trace-recorder.ts";

/** Milliseconds that a session store gets: the list must not wait for one that is slow. */
const patience = 500;

/** Records the requests that pass through it, and the jobs that run meanwhile. */
export class Recorder {
  readonly #buffer: RecordBuffer;
  readonly #traces: TraceRecorder;
  readonly #routesOf: () => readonly string[];
  #knownRoutes: readonly string[] | undefined;
  /** Requests without a response so far, by the ids of their records. */
  readonly #running = new Map<string, { readonly recording: Recording; readonly incoming: RecordedIncoming }>();

  /** `routesOf` returns the paths of all routes. */
  constructor(buffer: RecordBuffer, routesOf: () => readonly string[] = () => []) {
    this.#buffer = buffer;
    this.#routesOf = routesOf;
    this.#traces = new TraceRecorder({
      onRecord: (record) => buffer.add(record),
      onError: (error) => buffer.addError(error),
    });
  }

  start(): void {
    this.#traces.start();
  }

  stop(): void {
    this.#traces.stop();
    this.#buffer.flush();
  }

  /** The id of the record of the current request. */
  get currentId(): string | undefined {
    return this.#traces.current?.id;
  }

  /** For requests of the developer tools themselves. */
  ignore<T>(body: () => T): T {
    return this.#traces.run(undefined, body);
  }

  handle(incoming: Incoming, next: RequestHandler): Outgoing | Promise<Outgoing> {
    const recording = new Recording("request", this.#routes);
    const recorded = new RecordedIncoming(incoming);
    const outgoing = this.#traces.run(recording, () => next.handle(recorded));
    if (!(outgoing instanceof Promise)) return this.#finish(recording, recorded, outgoing);
    this.#running.set(recording.id, { recording, incoming: recorded });
    this.#buffer.notify();
    return outgoing.then((ready) => this.#finish(recording, recorded, ready));
  }

  /** The requests that still run, as far as they have come, the newest first. */
  running(): Recorded[] {
    return [...this.#running.values()].reverse().map(({ recording, incoming }) => {
      return recording.finish(incoming.method, toTarget(incoming), { request: toRequest(incoming, this.#routes) });
    });
  }

  /** Returns the id of the record, which is in the buffer when the promise is fulfilled. */
  async replay(incoming: Incoming, next: RequestHandler, replayOf: string): Promise<string> {
    const recording = new Recording("request", this.#routes);
    const recorded = new RecordedIncoming(incoming);
    const outgoing = await this.#traces.run(recording, () => next.handle(recorded));
    await this.#keep(recording, recorded, outgoing, replayOf);
    return recording.id;
  }

  get #routes(): readonly string[] {
    this.#knownRoutes ??= this.#routesOf();
    return this.#knownRoutes;
  }

  #finish(recording: Recording, incoming: RecordedIncoming, outgoing: Outgoing): Outgoing {
    this.#running.delete(recording.id);
    void this.#keep(recording, incoming, outgoing).catch(() => {}); // a request must not fail because it is recorded
    return outgoing;
  }

  async #keep(recording: Recording, incoming: RecordedIncoming, outgoing: Outgoing, replayOf?: string): Promise<void> {
    const response: RecordedMessage = {
      headers: redactAddresses(redactHeaders(Object.fromEntries(outgoing.headers.entries())), this.#routes),
      ...(outgoing.body === null ? {} : { body: toResponseBody(outgoing) }),
    };
    const record = recording.finish(incoming.method, toTarget(incoming), {
      status: outgoing.status,
      request: toRequest(incoming, this.#routes),
      response,
      ...(replayOf === undefined ? {} : { replayOf }),
    });
    const session = await this.#readSession(recording);
    this.#buffer.add(session === undefined ? record : { ...record, session });
  }

  async #readSession({ ctx }: Recording): Promise<Readonly<Record<string, unknown>> | undefined> {
    if (ctx === undefined || ctx.get("session") === undefined) return undefined;
    let values: object = {};
    const reading = this.ignore(() => readSession(ctx)).then((found) => {
      values = found;
    });
    await endsWithin(
      reading.catch(() => {}),
      patience,
    );
    return redactSession(values);
  }
}

function toTarget({ path, search }: Incoming): string {
  return search === "" ? path : `${path}?${search}`;
}

function toRequest(incoming: RecordedIncoming, routes: readonly string[]): RecordedMessage {
  const { body } = incoming;
  return {
    headers: redactAddresses(redactHeaders(withoutSecret(incoming.headers())), routes),
    ...(body === undefined ? {} : { body: toRequestBody(incoming.header("content-type") ?? "", body) }),
  };
}

function toResponseBody({ body, type, headers }: Outgoing): RecordedBody {
  if (typeof body !== "string" && !(body instanceof Uint8Array)) return { type };
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  return headers.has("content-encoding") ? { type, size: bytes.length } : toRecordedBody(type, bytes);
}
