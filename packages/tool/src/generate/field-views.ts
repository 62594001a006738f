import { type Field, toLabel } from "./fields.ts";
import { toNameAlias } from "./reference-code.ts";
import type { Target } from "./targets.ts";

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

/** A label, the error and the control of a field. A ref is a select, or the id where its rows have no names. */
export function toControl(field: Field, target?: Target): string {
  const { name, type, isOptional } = field;
  const label = toLabel(field);
  const old = `page.old("${name}", data.${name})`;
  const problem = `<%~ marks("${name}") %>`;
  const attributes = `id="${name}" name="${name}"`;
  const required = isOptional || type === "boolean" ? "" : " required";
  const longest = type === "string" ? ' maxlength="200"' : type === "text" ? ' maxlength="10000"' : "";
  const control =
    target?.label !== undefined
      ? toSelect(field, target.table, `${attributes}${required}${problem}`)
      : type === "text"
        ? `<textarea ${attributes}${required}${longest}${problem}><%= ${old} %></textarea>`
        : type === "boolean"
          ? `<input ${attributes} ${inputs.boolean}<% if (String(${old}) === "true") { %> checked<% } %>${problem}>`
          : `<input ${attributes} ${type === "string" ? "" : `${inputs[type]} `}value="<%= ${old} %>"${required}${longest}${problem}>`;
  return [
    `<label for="${name}">${label}${type === "ref" && target?.label === undefined ? " (its id)" : ""}</label>\n`,
    `<% if (page.error("${name}")) { -%>\n`,
    `<p class="problem" id="${name}-problem">The ${label.toLowerCase()} <%= page.error("${name}") %>.</p>\n`,
    "<% } -%>\n",
    `${control}\n`,
  ].join("");
}

/** A row that is not among the choices stays selected, so that saving the form does not change it. */
function toSelect({ name, isOptional }: Field, table: string, attributes: string): string {
  const rows = `data.formChoices.${table}`;
  const value = `page.old("${name}", data.${name})`;
  return [
    `<select ${attributes}>`,
    `<option value="">${isOptional ? "None" : "Choose one"}</option>`,
    `<% if (${value} && !${rows}.some(({ id }) => id === ${value})) { -%>`,
    `<option selected><%= ${value} %></option>`,
    "<% } -%>",
    `<% for (const { id, label } of ${rows}) { -%>`,
    `<option value="<%= id %>"<% if (id === ${value}) { %> selected<% } %>><%= label %></option>`,
    "<% } -%>",
    "</select>",
  ].join("\n");
}

/** The fields of one row besides its heading; "" when there are none. */
export function toDetails(
  fields: readonly Field[],
  lead: Field | undefined,
  targets: ReadonlyMap<string, Target>,
): string {
  const rows = fields
    .filter((field) => field !== lead)
    .map((field) => {
      const value = `data.${field.name}`;
      const target = targets.get(field.target ?? "");
      if (target !== undefined) return toRow(field, toReference(field, target));
      return toRow(field, field.type === "boolean" ? `<%= ${value} ? "Yes" : "No" %>` : `<%= ${value} ?? "" %>`);
    });
  return rows.length === 0 ? "" : `<dl>\n${rows.join("")}</dl>\n`;
}

function toRow(field: Field, value: string): string {
  return `<dt>${toLabel(field)}</dt><dd>${value}</dd>\n`;
}

/** The name of the row, or its id, as a link to its page. */
function toReference(field: Field, { label, hasPage }: Target): string {
  const text = `<%= data.${label === undefined ? field.name : toNameAlias(field)} ?? "" %>`;
  const link = `<a href="/${field.target}/<%= data.${field.name} %>">${text}</a>`;
  if (!hasPage) return text;
  return field.isOptional ? `<% if (data.${field.name}) { %>${link}<% } %>` : link;
}
