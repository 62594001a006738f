import { type Channel, channel } from "node:diagnostics_channel";

/** `tenon.log`: a line before it is written. */
export interface LogSignal {
  readonly level: string;
  /** Fields that subscribers add to the line. */
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
