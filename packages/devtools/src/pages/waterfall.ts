import type { Recorded, RecordedSpan, SpanKind } from "../record/recorded.ts";

/** A row of the picture of a request. */
export interface WaterfallRow {
  readonly kind: SpanKind | "log";
  readonly name: string;
  /** In milliseconds, after the start of the request. */
  readonly start: number;
  readonly ms: number;
  readonly depth: number;
  /** Percent of the whole width. */
  readonly left: number;
  readonly width: number;
  readonly marks: readonly string[];
  readonly error?: string;
  readonly rows?: number;
  readonly note?: string;
  /** The id of a job that was enqueued. */
  readonly job?: number;
  /** For `/explain/:index`, on SQL. */
  readonly index?: number;
  /** The level of a log line. */
  readonly level?: string;
}

/** A statement that a request runs more than once: a query in a loop, often. */
export interface RepeatedQuery {
  readonly sql: string;
  readonly count: number;
  readonly ms: number;
}

/** From so many on, a statement is marked. */
const leastRepeats = 3;
const thinnest = 0.3;

export function findRepeated(spans: readonly RecordedSpan[]): RepeatedQuery[] {
  const bySql = Map.groupBy(
    spans.filter(({ kind }) => kind === "sql"),
    ({ name }) => name,
  );
  return [...bySql]
    .filter(([, list]) => list.length >= leastRepeats)
    .map(([sql, list]) => ({ sql, count: list.length, ms: toPercent(list.reduce((total, { ms }) => total + ms, 0)) }))
    .sort((one, other) => other.ms - one.ms);
}

/** Statements that took at least so many milliseconds. */
export function findSlow(spans: readonly RecordedSpan[], slowQuery: number): RecordedSpan[] {
  return spans.filter(({ kind, ms }) => kind === "sql" && ms >= slowQuery);
}

/** Operations and log lines in the order of their start. */
export function toWaterfall({ ms, spans, logs }: Recorded, slowQuery: number): WaterfallRow[] {
  const counts = new Map(findRepeated(spans).map(({ sql, count }) => [sql, count]));
  const longest = Math.max(ms, ...spans.map(({ start, ms: taken }) => start + taken), 0.001);
  const place = (start: number, taken: number) => {
    const left = Math.min((start / longest) * 100, 100 - thinnest);
    return {
      left: toPercent(left),
      width: toPercent(Math.max(Math.min((taken / longest) * 100, 100 - left), thinnest)),
    };
  };
  const operations = spans.map(({ database: _, ...span }, index): WaterfallRow => {
    const count = counts.get(span.name);
    const marks = [
      ...(span.kind === "sql" && span.ms >= slowQuery ? ["slow"] : []),
      ...(span.kind === "sql" && count !== undefined ? [`repeated ${count}×`] : []),
      ...(span.error === undefined ? [] : ["failed"]),
    ];
    return { ...span, ...place(span.start, span.ms), marks, ...(span.kind === "sql" ? { index } : {}) };
  });
  const lines = logs.map(({ start, level, message, error }): WaterfallRow => {
    const name = error === undefined || message.includes(error.message) ? message : `${message}: ${error.message}`;
    return { kind: "log", name, start, ms: 0, depth: 0, ...place(start, 0), marks: [], level };
  });
  const rows = [...operations, ...lines];
  return rows
    .map((row, index) => ({ row, index }))
    .sort((one, other) => one.row.start - other.row.start || one.index - other.index)
    .map(({ row }, index, sorted) => (row.kind === "log" ? { ...row, depth: depthBefore(sorted, index) } : row));
}

/** A log line is shown as deep as the operation before it. */
function depthBefore(sorted: readonly { readonly row: WaterfallRow }[], index: number): number {
  return sorted.slice(0, index).findLast(({ row }) => row.kind !== "log")?.row.depth ?? 0;
}

/** Two decimals. */
function toPercent(value: number): number {
  return Math.round(value * 100) / 100;
}
