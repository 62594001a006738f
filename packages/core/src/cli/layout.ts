import { toJson } from "../body/json.ts";
import { paint } from "../log/log-pretty.ts";
import { fitTable, gap } from "./columns.ts";
import { pad, showControls, truncate, widthOf } from "./text.ts";

export interface LayoutOptions {
  /** Cells of the terminal; infinite where there is none, so that programs read every value whole. */
  readonly width: number;
  readonly color: boolean;
}

type Row = Readonly<Record<string, unknown>>;

/** A value for people: a table, key/value lines, or text. Shows what JSON shows: a field that `toJSON()` hides is hidden here too. */
export function layOut(value: unknown, options: LayoutOptions): string {
  if (typeof value === "string") return endLine(value);
  const plain: unknown = JSON.parse(toJson(value));
  if (Array.isArray(plain)) return layOutList(plain, options);
  return isRow(plain) ? layOutRecord(plain, options) : `${String(plain)}\n`;
}

function layOutList(list: readonly unknown[], options: LayoutOptions): string {
  if (list.length > 0 && list.every(isRow)) return layOutTable(list, options);
  return list.map((item) => `${item === null ? "null" : toCell(item)}\n`).join("");
}

function layOutTable(rows: readonly Row[], { width, color }: LayoutOptions): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const longest = width === Number.POSITIVE_INFINITY ? width : 4 * width; // the end of a longer text is never shown
  const lines = [names.map(showControls), ...rows.map((row) => names.map((name) => toCell(own(row, name), longest)))];
  const { lines: fitted, widths } = fitTable(lines, width);
  const isCut = widths.length < names.length;
  return fitted
    .map((line, index) => {
      const cells = widths.map((cells, column) => pad(truncate(line[column] as string, cells), cells)); // see Lines
      const text = `${cells.join(gap)}${isCut ? `${gap}…` : ""}`.trimEnd();
      return `${index === 0 ? paint("bold", text, color) : text}\n`;
    })
    .join("");
}

/** Values are shown whole: a text of several lines goes on below its first. */
function layOutRecord(record: Row, { color }: LayoutOptions): string {
  const entries = Object.entries(record).map(([name, value]) => [showControls(name), value] as const);
  const width = Math.max(0, ...entries.map(([name]) => widthOf(name)));
  return entries
    .map(([name, value]) => {
      const lines = typeof value === "string" ? value.split(/\r?\n/).map(showControls) : [toCell(value)];
      const text = lines.join(`\n${" ".repeat(width)}${gap}`);
      return `${`${paint("bold", pad(name, width), color)}${gap}${text}`.trimEnd()}\n`;
    })
    .join("");
}

function toCell(value: unknown, longest: number = Number.POSITIVE_INFINITY): string {
  if (value === undefined || value === null) return "";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return showControls(text.length > longest ? `${text.slice(0, longest).replace(/[\ud800-\udbff]$/, "")}…` : text);
}

function own(row: Row, name: string): unknown {
  return Object.hasOwn(row, name) ? row[name] : undefined;
}

function isRow(value: unknown): value is Row {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function endLine(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}
