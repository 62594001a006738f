import { toJson } from "../body/json.ts";
import { paint } from "../log/log-pretty.ts";
import { isObject } from "../schema/dto.ts";
import { pad, showControls, truncate, widthOf } from "./text.ts";

export interface LayoutOptions {
  /** Cells of the terminal; infinite for another output, so that programs read every value whole. */
  readonly width: number;
  readonly color: boolean;
}

const gap = "  ";
/** The least width of a column. A table that is wider even so wraps. */
const narrowest = 8;

type Row = Readonly<Record<string, unknown>>;

/** A value for people: a table, key/value lines, or text. Shows what JSON shows: a field that `toJSON()` hides is hidden here too. */
export function layOut(value: unknown, options: LayoutOptions): string {
  if (typeof value === "string") return value === "" || value.endsWith("\n") ? value : `${value}\n`;
  const plain: unknown = JSON.parse(toJson(value));
  if (Array.isArray(plain)) return layOutList(plain, options);
  return isObject(plain) ? layOutRecord(plain, options) : `${String(plain)}\n`;
}

function layOutList(list: readonly unknown[], options: LayoutOptions): string {
  if (list.length > 0 && list.every(isObject)) return layOutTable(list, options);
  return list.map((item) => `${item === null ? "null" : toCell(item)}\n`).join("");
}

function layOutTable(rows: readonly Row[], { width, color }: LayoutOptions): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = [
    names.map(showControls),
    ...rows.map((row) => names.map((name) => toCell(Object.hasOwn(row, name) ? row[name] : undefined))),
  ];
  const textOf = (line: readonly string[], column: number) => line[column] as string; // each line has every column
  const natural = names.map((_, column) => Math.max(...lines.map((line) => widthOf(textOf(line, column)))));
  const id = names.indexOf("id"); // stays whole: it could not be copied into the next command
  const others = natural.filter((_, column) => column !== id);
  const room = width - (natural[id] ?? 0) - gap.length * (names.length - 1);
  const limit = Math.max(narrowest, findLimit(others, room));
  return lines
    .map((line, index) => {
      const cells = natural.map((full, column) => {
        const most = column === id ? full : Math.min(full, limit);
        return pad(truncate(textOf(line, column), most), most);
      });
      const text = cells.join(gap).trimEnd();
      return `${index === 0 ? paint("bold", text, color) : text}\n`;
    })
    .join("");
}

/** The largest width that each column may have so that all of them fit. */
function findLimit(widths: readonly number[], room: number): number {
  let rest = room;
  for (const [index, cells] of widths.toSorted((a, b) => a - b).entries()) {
    const share = Math.floor(rest / (widths.length - index));
    if (cells > share) return share;
    rest -= cells;
  }
  return Number.POSITIVE_INFINITY;
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

function toCell(value: unknown): string {
  if (value === undefined || value === null) return "";
  return showControls(typeof value === "string" ? value : JSON.stringify(value));
}
