export type SpanKind = "middleware" | "handler" | "view" | "sql" | "redis" | "fetch" | "enqueue" | "event" | "hash";

/** One operation of a request or a job. */
export interface RecordedSpan {
  readonly kind: SpanKind;
  /** The SQL text, the Redis command, the name of the middleware. */
  readonly name: string;
  /** Milliseconds after the start of the request. */
  readonly start: number;
  /** How long it took, in milliseconds. */
  readonly ms: number;
  /** How many other operations it is inside of. */
  readonly depth: number;
  /** The message of the error that it failed with. */
  readonly error?: string;
  readonly database?: string;
  readonly rows?: number;
  /** The id of an enqueued job. */
  readonly job?: number;
  /** More about it, in a few words. */
  readonly note?: string;
}

/** An error of a log line, as the log has written it. */
export interface RecordedError {
  readonly type: string;
  readonly message: string;
  readonly stack: string;
  /** The stack without messages, which may quote a request: only these lines tell a place. */
  readonly frames?: string;
}

export interface RecordedLine {
  /** Milliseconds after the start of the request. */
  readonly start: number;
  /** How many operations it was written inside of. */
  readonly depth?: number;
  readonly level: string;
  readonly message: string;
  /** The other fields of the line. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly error?: RecordedError;
}

/** A body as it is kept: secrets are redacted by the names of their fields. */
export interface RecordedBody {
  readonly type: string;
  /** In bytes; undefined for a stream. */
  readonly size?: number;
  /** Undefined for what is not text, or too large. */
  readonly text?: string;
  readonly isRedacted?: boolean;
}

export interface RecordedMessage {
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined without one, and for one that was not read. */
  readonly body?: RecordedBody;
}

/** A request, an attempt of a job, or a message of a WebSocket, when it is over. */
export interface Recorded {
  readonly id: string;
  readonly kind: "request" | "job" | "message";
  /** When it began, in ISO format. */
  readonly at: string;
  readonly ms: number;
  /** "" for a job, "WS" for a message. */
  readonly method: string;
  /** The path with its query, or the name of the job. Secret parameters are redacted. */
  readonly target: string;
  /** With the names of its parameters: `/posts/:id`. Undefined on a miss. */
  readonly route?: string;
  readonly handler?: string;
  /** The status of the response; undefined for a job. A message has the status of its error, or 200. */
  readonly status?: number;
  /** What `ctx.id` was. */
  readonly requestId?: string;
  /** The id of the record that this one repeats. */
  readonly replayOf?: string;
  readonly job?: RecordedJob;
  readonly request?: RecordedMessage;
  readonly response?: RecordedMessage;
  readonly session?: Readonly<Record<string, unknown>>;
  readonly spans: readonly RecordedSpan[];
  /** Operations that were not kept, because there were too many. */
  readonly droppedSpans: number;
  readonly logs: readonly RecordedLine[];
}

export interface RecordedJob {
  readonly id: number;
  readonly queue: string;
  readonly attempt: number;
  /** What the attempt has made of the job: "done", "queued", "scheduled" or "dead". */
  readonly state: string;
}

/** Whether it failed: a status from 500 on, or a job that was not done. */
export function isFailed({ status, job }: Pick<Recorded, "status" | "job">): boolean {
  return job === undefined ? (status ?? 0) >= 500 : job.state !== "done";
}
