import { toCodeFrame } from "../error-text/code-frame.ts";
import type { ErrorReport } from "./error-report.ts";
import type { ReportedFrame } from "./reported-frame.ts";

/** The developer page as text, for an issue or a chat. */
export function toReportText(report: ErrorReport): string {
  const { status, message, request, route, errors } = report;
  const blocks = [
    `${status} ${request.method} ${request.path}${route === undefined ? "" : ` → ${route.controller}.${route.handler}`}`,
    ...(errors.length === 0 ? [message] : []),
    ...errors.map(({ name, message, sql, frames }, index) =>
      [
        `${index === 0 ? "" : "caused by "}${name === "" ? "" : `${name}: `}${message}`,
        ...(sql === undefined ? [] : [`  sql: ${sql}`]),
        ...frames.map(({ text, place }) => `  ${text === "" ? `in ${place}` : text}`),
      ].join("\n"),
    ),
    ...errors.flatMap(({ frames }) => frames.find(({ source }) => source !== undefined) ?? []).map(toExcerpt),
    ...report.hints.map((hint) => `hint: ${hint}`),
    list(
      "issues",
      report.issues.map(({ path, rule, message }) => [path || "(body)", `${message} (${rule})`]),
    ),
    list("path parameters", Object.entries(request.params)),
    list("query", Object.entries(request.query)),
    list("body", Object.entries(request.body)),
    list("session", Object.entries(request.session)),
    list("headers", Object.entries(request.headers)),
  ];
  return `${blocks.filter((block) => block !== "").join("\n\n")}\n`;
}

function toExcerpt({ place, source }: ReportedFrame): string {
  return source === undefined ? "" : `${place}\n${toCodeFrame(source)}`;
}

function list(title: string, rows: readonly (readonly [string, unknown])[]): string {
  if (rows.length === 0) return "";
  return [`${title}:`, ...rows.map(([name, value]) => `  ${name}: ${toCell(value)}`)].join("\n");
}

const longestCell = 4000;

/** A value of a body or a session in one cell. */
export function toCell(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? String(value));
  return text.length > longestCell ? `${text.slice(0, longestCell)}…` : text;
}
