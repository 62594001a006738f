import { type Field, toLabel } from "./fields.ts";

const inputs = {
  string: 'type="text"',
  text: "",
  integer: 'type="number" step="1"',
  number: 'type="number" step="any"',
  boolean: 'type="checkbox" value="true"',
  date: 'type="date"',
  timestamp: 'type="text" placeholder="2026-11-17T09:30:00Z"',
  ref: 'type="text"',
} as const;

/** A label, the error and the control of a field. */
export function toControl(field: Field): string {
  const { name, type, isOptional } = field;
  const label = toLabel(field);
  const old = `page.old("${name}", data.${name})`;
  const problem = `<% if (page.error("${name}")) { %> aria-describedby="${name}-problem" aria-invalid="true"<% } %>`;
  const attributes = `id="${name}" name="${name}"`;
  const required = isOptional || type === "boolean" ? "" : " required";
  const longest = type === "string" ? ' maxlength="200"' : type === "text" ? ' maxlength="10000"' : "";
  const control =
    type === "text"
      ? `<textarea ${attributes}${required}${longest}${problem}><%= ${old} %></textarea>`
      : type === "boolean"
        ? `<input ${attributes} ${inputs.boolean}<% if (String(${old}) === "true") { %> checked<% } %>${problem}>`
        : `<input ${attributes} ${type === "string" ? "" : `${inputs[type]} `}value="<%= ${old} %>"${required}${longest}${problem}>`;
  return [
    `<label for="${name}">${label}${type === "ref" ? " (its id)" : ""}</label>\n`,
    `<% if (page.error("${name}")) { -%>\n`,
    `<p class="problem" id="${name}-problem">The ${label.toLowerCase()} <%= page.error("${name}") %>.</p>\n`,
    "<% } -%>\n",
    `${control}\n`,
  ].join("");
}

/** The fields of one row besides its heading; "" when there are none. */
export function toDetails(fields: readonly Field[], lead: Field | undefined): string {
  const rows = fields
    .filter((field) => field !== lead)
    .map((field) => {
      const value = `data.${field.name}`;
      if (field.target !== undefined)
        return toRow(field, `<a href="/${field.target}/<%= ${value} %>"><%= ${value} %></a>`);
      return toRow(field, field.type === "boolean" ? `<%= ${value} ? "Yes" : "No" %>` : `<%= ${value} ?? "" %>`);
    });
  return rows.length === 0 ? "" : `<dl>\n${rows.join("")}</dl>\n`;
}

function toRow(field: Field, value: string): string {
  return `<dt>${toLabel(field)}</dt><dd>${value}</dd>\n`;
}
