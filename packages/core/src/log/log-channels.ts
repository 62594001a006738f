import { type Channel, channel } from "node:diagnostics_channel";

/** `tenon.log`: the fields of a line before it is written. */
export interface LoggedFields {
  /** Secrets are redacted, and fields of the log itself are not among them. Subscribers may add theirs. */
  readonly fields: Record<string, unknown>;
}

/** `tenon.log.line`: a line as it is written, secrets redacted. */
export interface LoggedLine {
  /** JSON. */
  readonly line: string;
}

/** `tenon.log.dropped`: lines that could not be written. */
export interface DroppedLines {
  readonly count: number;
}

export const logChannel: Channel<LoggedFields> = channel("tenon.log");
export const logLineChannel: Channel<LoggedLine> = channel("tenon.log.line");
export const logDroppedChannel: Channel<DroppedLines> = channel("tenon.log.dropped");
