import { isDevtoolsTarget } from "../parts.ts";
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
  /** Whether a package serves its route, and not the application itself; or it was for the developer tools, without the secret. */
  readonly isOfPackage: boolean;
  readonly queries: number;
  readonly slow: number;
  readonly repeated: number;
  readonly errors: number;
}

/** `slowQuery` is in milliseconds; `packagePaths` are those whose routes come from packages. */
export function toRow(record: Recorded, slowQuery: number, packagePaths?: ReadonlySet<string>): RequestRow {
  const { id, kind, at, method, target, route, status, ms, handler = "", spans, logs, job } = record;
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
    isOfPackage: route === undefined ? isDevtoolsTarget(target) : (packagePaths?.has(route) ?? false),
    queries: spans.filter((span) => span.kind === "sql").length,
    slow: findSlow(spans, slowQuery).length,
    repeated: findRepeated(spans).length,
    errors: logs.filter(({ error }) => error !== undefined).length,
  };
}
