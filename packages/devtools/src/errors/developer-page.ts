import type { RouteInfo } from "@tenon/core/platform";
import { escapeHtml } from "@tenon/web/platform";
import type { SourceExcerpt } from "../error-text/code-frame.ts";
import type { ErrorReport, ReportedError } from "./error-report.ts";
import { highlight } from "./highlight.ts";
import { toFramedPage } from "./page-frame.ts";
import { toCell, toReportText } from "./report-text.ts";
import type { ReportedFrame } from "./reported-frame.ts";

const mostRoutes = 200;

/** The cause of a failed request, for the developer. */
export function toDeveloperPage(report: ErrorReport): string {
  const { status, message, errors, request } = report;
  const [thrown, ...causes] = errors;
  const title = thrown?.message || message;
  const parts = [
    `<p class="status">${status} ${escapeHtml(thrown?.name || message)}</p>`,
    `<h1>${escapeHtml(title)}</h1>`,
    `<p class="dim">${escapeHtml(`${request.method} ${request.path}`)}${describeRoute(report)}</p>`,
    `<p class="tools"><button type="button">Copy as text</button>${toRequestLink(report)}</p>`,
    ...report.hints.map((hint) => `<p class="hint">${escapeHtml(hint)}</p>`),
    section(
      "What could not be bound",
      table(report.issues.map(({ path, rule, message }) => [path || "(body)", `${message} (${rule})`])),
    ),
    section("Routes", toRouteTable(report.routes)),
    section("Limits of web()", table(Object.entries(report.limits))),
    ...errors.map(({ sql }) =>
      section("Statement", sql === undefined ? "" : `<pre tabindex="0"><span>${escapeHtml(sql)}</span></pre>`),
    ),
    section("Stack", thrown === undefined ? "" : toStack(thrown, true)),
    ...causes.map((cause, index) => {
      const text = [cause.name, cause.message].filter((part) => part !== "").join(": ");
      // the place of a cause is of interest where the error itself has none in the application
      const isOpen = !errors
        .slice(0, index + 1)
        .some(({ frames }) => frames.some(({ source }) => source !== undefined));
      return section("Caused by", `<p>${escapeHtml(text)}</p>${toStack(cause, isOpen)}`);
    }),
    section("Path parameters", table(Object.entries(request.params))),
    section("Query", table(Object.entries(request.query))),
    section("Body", table(Object.entries(request.body))),
    section("Session", table(Object.entries(request.session))),
    section("Headers", table(Object.entries(request.headers))),
    section("As text", toText(report)),
    '<p class="dim">This page is for development, and shown to you because of the secret in the link of the banner. Other clients see the status and its message.</p>',
  ];
  return toFramedPage(`${status} ${title}`, `<main>\n${parts.filter((part) => part !== "").join("\n")}\n</main>`);
}

/** With its log lines and statements. */
function toRequestLink({ requestPage }: ErrorReport): string {
  return requestPage === undefined ? "" : `<a href="${escapeHtml(requestPage)}">This request in the devtools</a>`;
}

/** What the button copies. */
function toText(report: ErrorReport): string {
  // HTML drops the first line feed of a textarea
  const text = escapeHtml(`\n${toReportText(report)}`);
  return `<details><summary>Show the text</summary><textarea readonly aria-label="This page as text">${text}</textarea></details>`;
}

/** For the end of the application's own 404 page. */
export function toRouteList(routes: readonly RouteInfo[]): string {
  const rows = routes
    .slice(0, mostRoutes)
    .map(({ method, path, owner }) => `<li>${escapeHtml(`${method} ${path}: ${owner}`)}</li>`);
  return `<aside aria-label="Development"><details><summary>Development: no route matched. Routes of this application</summary><ul>${rows.join("")}</ul></details></aside>\n`;
}

function describeRoute({ route }: ErrorReport): string {
  if (route === undefined) return " matched no route";
  return escapeHtml(` → ${route.controller}.${route.handler} (${route.path})`);
}

/** Frames of the application with their source, the first of them open; what lies between them collapsed. */
function toStack({ frames }: ReportedError, opensFirst: boolean): string {
  const parts: string[] = [];
  const first = frames.find(({ source }) => source !== undefined);
  let others: string[] = [];
  const collapse = () => {
    if (others.length > 0) parts.push(toOthers(others));
    others = [];
  };
  for (const frame of frames) {
    if (frame.source === undefined) {
      others.push(frame.text);
      continue;
    }
    collapse();
    parts.push(toOwnFrame(frame, frame.source, opensFirst && frame === first));
  }
  collapse();
  return parts.join("\n");
}

function toOthers(rows: readonly string[]): string {
  const count = `${rows.length} frame${rows.length === 1 ? "" : "s"} of Node, the framework and packages`;
  const spans = rows.map((row) => `<span>${escapeHtml(row)}</span>`);
  return `<details class="others"><summary>${count}</summary><pre tabindex="0">${spans.join("")}</pre></details>`;
}

function toOwnFrame({ place, name, editorUrl }: ReportedFrame, source: SourceExcerpt, isOpen: boolean): string {
  const title = `<code>${escapeHtml(place)}</code>${name === "" ? "" : ` <span class="dim">in ${escapeHtml(name)}</span>`}`;
  const link = editorUrl === undefined ? "" : `<p><a href="${escapeHtml(editorUrl)}">Open in the editor</a></p>`;
  return `<details${isOpen ? " open" : ""}><summary>${title}</summary>${toSource(source)}${link}</details>`;
}

function toSource(source: SourceExcerpt): string {
  const { lines } = source;
  const width = Math.max(...lines.map(({ number }) => String(number).length));
  const code = highlight(source);
  const rows = lines.map(({ number, isHit }, index) => {
    const gutter = `<span class="dim">${String(number).padStart(width)}</span>`;
    return `<span${isHit ? ' class="hit"' : ""}>${gutter}  ${code[index]}</span>`;
  });
  // a wide line scrolls, and without a tab stop the keyboard could not scroll it
  return `<pre tabindex="0">${rows.join("")}</pre>`;
}

function toRouteTable(routes: readonly RouteInfo[]): string {
  return table(routes.slice(0, mostRoutes).map(({ method, path, owner }) => [`${method} ${path}`, owner]));
}

function table(rows: readonly (readonly [string, unknown])[]): string {
  if (rows.length === 0) return "";
  const cells = rows.map(
    ([name, value]) => `<tr><th scope="row">${escapeHtml(name)}</th><td>${escapeHtml(toCell(value))}</td></tr>`,
  );
  return `<table><tbody>${cells.join("")}</tbody></table>`;
}

/** Empty without content. */
function section(heading: string, content: string): string {
  return content === "" ? "" : `<section><h2>${escapeHtml(heading)}</h2>${content}</section>`;
}
