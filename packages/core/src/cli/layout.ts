import { toJson } from "../body/json.ts";
import { paint } from "../log/log-pretty.ts";
import { isObject } from "../schema/dto.ts";
import { pad, showControls, truncate, widthOf } from "./text.ts";

export interface LayoutOptions {
  /** Cells of the terminal; infinite where there is none, so that programs read every value whole. */
  readonly width: number;
  readonly color: boolean;
}

const gap = "  ";

type Row = Readonly<Record<string, unknown>>;

/** A value for people: a table, key/value lines, or text. Shows what JSON shows: a field that `toJSON()` hides is hidden here too. */
export function layOut(value: unknown, options: LayoutOptions): string {
  if (typeof value === "string") return endLine(value);
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
  const longest = width === Number.POSITIVE_INFINITY ? width : 4 * width; // the end of a longer text is never shown
  const lines = [names.map(showControls), ...rows.map((row) => names.map((name) => toCell(own(row, name), longest)))];
  const textOf = (line: readonly string[], column: number) => line[column] as string; // each line has every column
  const natural = names.map((_, column) => Math.max(...lines.map((line) => widthOf(textOf(line, column)))));
  // an id that is cut cannot be copied into the next command: it stays whole as long as two other columns can be read
  const widths =
    fitColumns(natural, width, { isWhole: (column) => names[column] === "id", narrowest: 10, fewest: 3 }) ??
    fitColumns(natural, width, { isWhole: () => false, narrowest: 4, fewest: 1 }) ??
    natural.slice(0, 1).map((cells) => Math.min(cells, 4));
  const isCut = widths.length < names.length;
  return lines
    .map((line, index) => {
      const cells = widths.map((cells, column) => pad(truncate(textOf(line, column), cells), cells));
      const text = `${cells.join(gap)}${isCut ? `${gap}…` : ""}`.trimEnd();
      return `${index === 0 ? paint("bold", text, color) : text}\n`;
    })
    .join("");
}

interface Fit {
  readonly isWhole: (column: number) => boolean;
  /** Cells that each other column gets at least. */
  readonly narrowest: number;
  /** Columns that are shown at least. */
  readonly fewest: number;
}

/** The widest columns give way first, then the last ones are left out. Undefined when that is not enough. */
function fitColumns(natural: readonly number[], width: number, { isWhole, narrowest, fewest }: Fit) {
  for (let count = natural.length; count >= fewest; count--) {
    const kept = natural.slice(0, count);
    const whole = kept.filter((_, column) => isWhole(column)).reduce((sum, cells) => sum + cells, 0);
    const gaps = gap.length * (count - 1) + (count < natural.length ? gap.length + 1 : 0); // and the ellipsis
    const others = kept.filter((_, column) => !isWhole(column));
    const limit = findLimit(others, width - whole - gaps);
    if (limit >= narrowest) return kept.map((cells, column) => (isWhole(column) ? cells : Math.min(cells, limit)));
  }
  return undefined;
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

function toCell(value: unknown, longest: number = Number.POSITIVE_INFINITY): string {
  if (value === undefined || value === null) return "";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return showControls(text.length > longest ? `${text.slice(0, longest).replace(/[\ud800-\udbff]$/, "")}…` : text);
}

function own(row: Row, name: string): unknown {
  return Object.hasOwn(row, name) ? row[name] : undefined;
}

function endLine(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}
