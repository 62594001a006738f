import type { Recorded, RecordedSpan, SpanKind } from "../record/recorded.ts";

/** A row of the picture of a request. */
export interface WaterfallRow {
  readonly kind: SpanKind | "log" | "response";
  readonly name: string;
  /** In milliseconds, after the start of the request. */
  readonly start: number;
  readonly ms: number;
  readonly depth: number;
  /** Milliseconds in which nothing ran that has a row inside of this one, where that is a tenth of the request. */
  readonly own?: number;
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
/** Start and duration of a span are rounded to microseconds. */
const rounding = 0.002;
const responseName = "made from what the handler returned";

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

/** Operations and log lines in the order of their start, and the time between the chain and the response. */
export function toWaterfall({ kind, ms, spans, logs }: Recorded, slowQuery: number): WaterfallRow[] {
  const counts = new Map(findRepeated(spans).map(({ sql, count }) => [sql, count]));
  const longest = Math.max(ms, ...spans.map(endOf), 0.001);
  const chain = spans.filter(isStep);
  const end = kind === "request" && chain.length > 0 ? Math.max(...chain.map(endOf)) - rounding : ms;
  const place = (start: number, taken: number, depth = 0) => {
    const left = Math.min((start / longest) * 100, 100 - thinnest);
    return {
      depth: start < end ? depth : depth + 1, // inside of the response
      left: toPercent(left),
      width: toPercent(Math.max(Math.min((taken / longest) * 100, 100 - left), thinnest)),
    };
  };
  const operations = spans.map(({ database: _, ...span }, index): WaterfallRow => {
    const count = counts.get(span.name);
    const own = isStep(span) ? ownTime(span, spans) : 0;
    const marks = [
      ...(span.kind === "sql" && span.ms >= slowQuery ? ["slow"] : []),
      ...(span.kind === "sql" && count !== undefined ? [`repeated ${count}×`] : []),
      ...(span.error === undefined ? [] : ["failed"]),
    ];
    return {
      ...span,
      ...place(span.start, span.ms, span.depth),
      marks,
      ...(own >= longest / 10 && own < span.ms ? { own } : {}),
      ...(span.kind === "sql" ? { index } : {}),
    };
  });
  const lines = logs.map(({ start, level, message, error, depth }): WaterfallRow => {
    const name = error === undefined || message.includes(error.message) ? message : `${message}: ${error.message}`;
    return { kind: "log", name, start, ms: 0, ...place(start, 0, depth), marks: [], level };
  });
  const rest = toPercent(ms - end - rounding);
  const response: WaterfallRow[] =
    rest <= 0
      ? []
      : [{ kind: "response", name: responseName, start: end, ms: rest, ...place(end, rest), depth: 0, marks: [] }];
  return [...response, ...operations, ...lines].sort((one, other) => one.start - other.start);
}

/** Its duration is part of the chain, which ends with the value of the handler. */
function isStep({ kind }: RecordedSpan): boolean {
  return kind === "middleware" || kind === "handler";
}

function endOf({ start, ms }: RecordedSpan): number {
  return start + ms;
}

/** Milliseconds of an operation in which none of those inside of it ran. `spans` are in the order of their start. */
function ownTime(span: RecordedSpan, spans: readonly RecordedSpan[]): number {
  let at = span.start;
  let own = 0;
  for (const inner of spans) {
    if (inner.depth !== span.depth + 1 || inner.start < span.start || inner.start >= endOf(span)) continue;
    own += Math.max(0, inner.start - at);
    at = Math.max(at, endOf(inner));
  }
  return toPercent(own + Math.max(0, endOf(span) - at));
}

/** Two decimals. */
function toPercent(value: number): number {
  return Math.round(value * 100) / 100;
}
