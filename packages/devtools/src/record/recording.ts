import { randomBytes } from "node:crypto";
import type { Context } from "@tenon/core";
import { SafePaths } from "@tenon/core/internal";
import type { Recorded, RecordedLine, RecordedSpan, SpanKind } from "./recorded.ts";
import { redactQuery } from "./redact-query.ts";

const paths = new SafePaths();
/** Operations and log lines of one record. */
const mostSpans = 1000;
const mostLines = 300;
/** Characters of the name of an operation, such as an SQL text. */
const longestName = 20_000;
/** Characters of all names, errors and log lines of one record. */
const longestText = 1_000_000;

/** An operation that may still run. */
export interface OpenSpan extends Omit<RecordedSpan, "ms"> {
  ms: number | undefined;
}

/** What is known about a span at its end. */
export type SpanOutcome = Partial<Pick<RecordedSpan, "error" | "rows" | "job" | "note">>;

/** A request or a job while it runs. */
export class Recording {
  readonly id = randomBytes(5).toString("hex");
  readonly kind: Recorded["kind"];
  /** The context of the request; undefined until a middleware or the handler runs. */
  ctx: Context | undefined;
  handler: string | undefined;
  readonly #routes: readonly string[];
  readonly #startedAt = Date.now();
  readonly #start = performance.now();
  readonly #spans: OpenSpan[] = [];
  readonly #lines: RecordedLine[] = [];
  #dropped = 0;
  #length = 0;

  /** `routes`: the paths of all routes, by which the secrets in the path of a miss are found. */
  constructor(kind: Recorded["kind"], routes: readonly string[] = []) {
    this.kind = kind;
    this.#routes = routes;
  }

  begin(kind: SpanKind, name: string, depth: number, database?: string): OpenSpan {
    const where = database === undefined ? {} : { database };
    const span: OpenSpan = { kind, name: shorten(name), depth, start: this.#now(), ms: undefined, ...where };
    if (this.#spans.length < mostSpans && this.#hasRoom(span.name.length)) this.#spans.push(span);
    else this.#dropped++;
    return span;
  }

  end(span: OpenSpan, outcome: SpanOutcome = {}): void {
    span.ms = round(this.#now() - span.start);
    const { error } = outcome;
    Object.assign(span, outcome, error === undefined ? {} : { error: shorten(error) });
  }

  addLine(line: Omit<RecordedLine, "start">): void {
    if (this.#lines.length >= mostLines || !this.#hasRoom(JSON.stringify(line).length)) return;
    this.#lines.push({ start: round(this.#now()), ...line });
  }

  /** `target` is a path with its query, or the name of a job. */
  finish(method: string, target: string, more: Partial<Recorded>): Recorded {
    const ms = round(this.#now());
    const { ctx, handler } = this;
    const route = ctx?.route?.path;
    const [path = "", ...query] = target.split("?");
    const clean = paths.redact(path, route, this.#routes);
    const shown = this.kind === "job" ? target : redactQuery([clean, ...query].join("?"));
    return {
      id: this.id,
      kind: this.kind,
      at: new Date(this.#startedAt).toISOString(),
      ms,
      method,
      target: shown,
      ...(route === undefined ? {} : { route }),
      ...(handler === undefined ? {} : { handler }),
      ...(ctx === undefined ? {} : { requestId: ctx.id }),
      ...more,
      spans: this.#spans.map(({ ms: taken, start, ...span }) => {
        return { ...span, start: round(start), ms: taken ?? round(ms - start) };
      }),
      droppedSpans: this.#dropped,
      logs: this.kind === "job" || clean === path ? [...this.#lines] : replaceIn(this.#lines, path, clean),
    };
  }

  /** Takes it, if there is. */
  #hasRoom(length: number): boolean {
    if (this.#length + length > longestText) return false;
    this.#length += length;
    return true;
  }

  #now(): number {
    return performance.now() - this.#start;
  }
}

/** Microseconds are enough. */
function round(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000;
}

/** A copy: V8 would keep the whole of a long text for a slice of it. */
function shorten(text: string): string {
  return text.length <= longestName ? text : Buffer.from(text.slice(0, longestName)).toString();
}

/** Log lines quote the path, in their messages, fields and stacks. */
function replaceIn(lines: readonly RecordedLine[], path: string, clean: string): RecordedLine[] {
  const quoted = (text: string) => JSON.stringify(text).slice(1, -1);
  return JSON.parse(JSON.stringify(lines).replaceAll(quoted(path), () => quoted(clean))) as RecordedLine[]; // a copy
}
