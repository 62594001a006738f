import { widthOf } from "./text.ts";

/** The lines of a table, its names first. Each line has a cell for each column. */
export type Lines = readonly (readonly string[])[];

export interface FittedTable {
  readonly lines: Lines;
  /** Of the columns that are shown. */
  readonly widths: readonly number[];
}

export const gap = "  ";
const narrowest = 4;
/** An id is kept whole as long as this many columns remain, and the others can have this width. */
const fewest = 3;
const readable = 10;

/**
 * Makes a table fit a terminal. Times give way first, to minutes and then to days, because an id that is cut cannot be
 * copied into the next command; then the widest columns; then the last columns are left out.
 */
export function fitTable(lines: Lines, width: number): FittedTable {
  let fitted = lines;
  for (const shorten of [toMinutes, toDays]) {
    const widths = naturalWidths(fitted);
    if (sumOf(widths) <= width) return { lines: fitted, widths };
    fitted = shortenTimes(fitted, shorten);
  }
  const widths = naturalWidths(fitted);
  return { lines: fitted, widths: keepIds(fitted, widths, width) ?? fitColumns(widths, width) };
}

function naturalWidths(lines: Lines): number[] {
  const columns = lines[0] ?? [];
  return columns.map((_, column) => lines.reduce((most, line) => Math.max(most, widthOf(cellOf(line, column))), 0));
}

function cellOf(line: readonly string[], column: number): string {
  return line[column] as string; // a line has a cell for each column
}

function sumOf(widths: readonly number[]): number {
  return widths.reduce((sum, cells) => sum + cells, gap.length * (widths.length - 1));
}

const time = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})(?::\d{2}(?:\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/;

function toMinutes(text: string): string {
  return text.replace(time, "$1T$2$3");
}

function toDays(text: string): string {
  return text.replace(time, "$1");
}

function shortenTimes([names = [], ...rows]: Lines, shorten: (text: string) => string): Lines {
  const areTimes = names.map((_, column) =>
    rows.every((row) => cellOf(row, column) === "" || time.test(cellOf(row, column))),
  );
  return [names, ...rows.map((row) => row.map((cell, column) => (areTimes[column] === true ? shorten(cell) : cell)))];
}

/** Whole ids, and as many of the other columns as are readable beside them; undefined when these are too few. */
function keepIds([names = []]: Lines, natural: readonly number[], width: number): number[] | undefined {
  const isId = (column: number) => names[column] === "id";
  for (let count = natural.length; count >= fewest; count--) {
    const kept = natural.slice(0, count);
    const others = kept.filter((_, column) => !isId(column));
    const ids = kept.filter((_, column) => isId(column));
    const ellipsis = count < natural.length ? gap.length + 1 : 0;
    const limit = findLimit(others, width - sumOf(ids) - gap.length * others.length - ellipsis);
    if (limit >= readable) return kept.map((cells, column) => (isId(column) ? cells : Math.min(cells, limit)));
  }
  return undefined;
}

/** The widest columns give way first. When even narrow ones do not fit, the last ones are left out. */
function fitColumns(natural: readonly number[], width: number): number[] {
  for (let count = natural.length; count > 0; count--) {
    const kept = natural.slice(0, count);
    const ellipsis = count < natural.length ? gap.length + 1 : 0;
    const limit = findLimit(kept, width - gap.length * (count - 1) - ellipsis);
    if (limit >= narrowest) return kept.map((cells) => Math.min(cells, limit));
  }
  return natural.slice(0, 1).map((cells) => Math.min(cells, narrowest));
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
