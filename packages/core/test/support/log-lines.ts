import type { LogOptions } from "../../src/log/log.ts";

export interface LogLine {
  readonly level: string;
  readonly msg?: string;
  readonly err?: { readonly message: string };
  readonly [field: string]: unknown;
}

/** Collects the log lines of an application: pass `options` as its `log`. */
export class LogLines {
  readonly all: LogLine[] = [];
  readonly options: LogOptions = {
    level: "debug",
    destination: { write: (line) => this.all.push(JSON.parse(line) as LogLine) }, // one object a line
  };

  /** The messages of one level, in the order in which they were written. */
  messages(level: string): string[] {
    return this.all.filter((line) => line.level === level).map((line) => line.msg ?? "");
  }

  /** The messages of the errors that were logged with their cause. */
  causes(): string[] {
    return this.all.flatMap((line) => (line.err === undefined ? [] : [line.err.message]));
  }
}
