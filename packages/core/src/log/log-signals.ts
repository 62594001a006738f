import { type Channel, channel } from "node:diagnostics_channel";

/** `tenon.log`: the fields of a line before it is written. */
export interface LogSignal {
  /** Secrets are redacted, and fields of the log itself are not among them. Subscribers may add theirs. */
  readonly fields: Record<string, unknown>;
}

/** `tenon.log.line`: a line as it is written, secrets redacted. */
export interface LogLineSignal {
  /** JSON. */
  readonly line: string;
}

/** `tenon.log.dropped`: lines that could not be written. */
export interface LogDroppedSignal {
  readonly count: number;
}

export const logSignal: Channel<LogSignal> = channel("tenon.log");
export const logLineSignal: Channel<LogLineSignal> = channel("tenon.log.line");
export const logDroppedSignal: Channel<LogDroppedSignal> = channel("tenon.log.dropped");
