import { isFailed, type Recorded } from "../record/recorded.ts";
import { findRepeated, findSlow } from "./waterfall.ts";

/** A row of a list of requests and jobs. */
export interface RequestRow {
  readonly id: string;
  readonly kind: Recorded["kind"];
  readonly at: string;
  readonly method: string;
  readonly target: string;
  readonly status: number | string;
  readonly isFailed: boolean;
  readonly ms: number;
  readonly handler: string;
  readonly queries: number;
  readonly slow: number;
  readonly repeated: number;
  readonly errors: number;
}

/** `slowQuery` is in milliseconds. */
export function toRow(record: Recorded, slowQuery: number): RequestRow {
  const { id, kind, at, method, target, status, ms, handler = "", spans, logs, job } = record;
  return {
    id,
    kind,
    at,
    method: kind === "job" ? "JOB" : method,
    target,
    status: job?.state ?? status ?? "running",
    isFailed: isFailed(record),
    ms,
    handler,
    queries: spans.filter((span) => span.kind === "sql").length,
    slow: findSlow(spans, slowQuery).length,
    repeated: findRepeated(spans).length,
    errors: logs.filter(({ error }) => error !== undefined).length,
  };
}
