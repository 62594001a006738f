import type { KeptRequest } from "./request-file.ts";

const longestName = 200;

/** One request for a terminal: a line for each operation and log line, in the order of their start. */
export function toRequestText(request: KeptRequest): string {
  const { at, ms, method, target, status, job, handler, spans, logs } = request;
  const place = shorten(target);
  const head = job === undefined ? `${method} ${place} ${status}` : `JOB ${place} ${job.state}`;
  const facts = [
    at,
    toTime(ms),
    ...(job === undefined ? [] : [`job ${job.id}, attempt ${job.attempt}`]),
    ...(handler === undefined ? [] : [handler]),
  ];
  const operations = spans.map(({ kind, name, start, depth, ms: taken, rows, error, job: id }) => {
    const notes = [
      ...(rows === undefined ? [] : [`${rows} ${rows === 1 ? "row" : "rows"}`]),
      ...(id === undefined ? [] : [`job ${id}`]),
      ...(error === undefined ? [] : [`failed: ${shorten(error)}`]),
    ];
    const note = notes.length === 0 ? "" : ` (${notes.join(", ")})`;
    return { start, line: `${toTime(taken).padStart(10)}  ${"  ".repeat(depth)}${kind} ${shorten(name)}${note}` };
  });
  const lines = logs.map(({ start, level, message }) => ({
    start,
    line: `${"".padStart(10)}  ${level}: ${shorten(message)}`,
  }));
  const stacks = logs.flatMap(({ error }) => (error === undefined ? [] : `\n${toLines(error.stack)}`));
  const sorted = [...operations, ...lines].sort((one, other) => one.start - other.start).map(({ line }) => line);
  return `${[head, facts.join(", "), "", ...sorted, ...stacks].join("\n").trimEnd()}\n`;
}

function toTime(milliseconds: number): string {
  return `${milliseconds.toFixed(milliseconds < 100 ? 2 : 0)} ms`;
}

/** Without the control characters that a terminal obeys. */
function toLines(text: string): string {
  return text.replaceAll(/[^\P{Cc}\n]/gu, " ");
}

/** In one line, without control characters. */
function shorten(text: string): string {
  const line = text.replaceAll(/[\s\p{Cc}]+/gu, " ").trim();
  return line.length > longestName ? `${line.slice(0, longestName)}…` : line;
}
