import type { FailureReport, ReportedError } from "./failure-report.ts";
import { escapeHtml, toPlainPage } from "./html.ts";
import type { SourceExcerpt } from "./source-excerpt.ts";

const mostRoutes = 200;

/** The cause of a failed request, for developers. Shown in development, to requests of this machine only. */
export function toDeveloperPage(report: FailureReport): string {
  const { status, message, errors, request } = report;
  const [thrown, ...causes] = errors;
  const title = thrown?.message || message;
  const parts = [
    `<p class="status">${status} ${escapeHtml(thrown?.name || message)}</p>`,
    `<h1>${escapeHtml(title)}</h1>`,
    `<p class="dim">${escapeHtml(`${request.method} ${request.path}`)}${describeRoute(report)}</p>`,
    report.source === undefined ? "" : toSource(report.source),
    section(
      "What could not be bound",
      table(report.issues.map(({ path, rule, message }) => [path || "(body)", `${message} (${rule})`])),
    ),
    section(
      "Routes",
      table(report.routes.slice(0, mostRoutes).map(({ method, path, owner }) => [`${method} ${path}`, owner])),
    ),
    section("Limits of web()", table(Object.entries(report.limits))),
    section("Stack", toStack(thrown)),
    ...causes.map((cause) =>
      section(
        "Caused by",
        `<p>${escapeHtml([cause.name, cause.message].filter((text) => text !== "").join(": "))}</p>${toStack(cause)}`,
      ),
    ),
    section("Path parameters", table(Object.entries(request.params))),
    section("Query", table(Object.entries(request.query))),
    section("Headers", table(Object.entries(request.headers))),
    '<p class="dim">This page is for development, and shown on this machine only. Other clients see the status and its message, and with NODE_ENV=production all do.</p>',
  ];
  return toPlainPage(`${status} ${title}`, `<main>\n${parts.filter((part) => part !== "").join("\n")}\n</main>`);
}

function describeRoute({ route }: FailureReport): string {
  if (route === undefined) return " matched no route";
  return escapeHtml(` → ${route.controller}.${route.handler} (${route.path})`);
}

function toSource({ file, line, lines }: SourceExcerpt): string {
  const width = Math.max(...lines.map(({ number }) => String(number).length));
  const rows = lines.map(({ number, text, isHit }) => {
    const row = `${String(number).padStart(width)}  ${text}`;
    return `<span${isHit ? ' class="hit"' : ""}>${escapeHtml(row)}</span>`;
  });
  return section(`${file}:${line}`, `<pre>${rows.join("")}</pre>`);
}

function toStack(error: ReportedError | undefined): string {
  if (error === undefined || error.stack === "") return "";
  const rows = error.stack.split("\n").map((row) => `<span>${escapeHtml(row.trim())}</span>`);
  return `<pre>${rows.join("")}</pre>`;
}

function table(rows: readonly (readonly [string, unknown])[]): string {
  if (rows.length === 0) return "";
  const cells = rows.map(
    ([name, value]) => `<tr><th scope="row">${escapeHtml(name)}</th><td>${escapeHtml(value)}</td></tr>`,
  );
  return `<table><tbody>${cells.join("")}</tbody></table>`;
}

/** Empty without content. */
function section(heading: string, content: string): string {
  return content === "" ? "" : `<section><h2>${escapeHtml(heading)}</h2>${content}</section>`;
}
