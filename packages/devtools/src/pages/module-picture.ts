import type { ModuleDescription } from "../describe.ts";

export interface PictureBox {
  readonly name: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  /** How much it declares and exports. */
  readonly note: string;
}

/** A line from a module to one that it imports, as the `d` of an SVG path. */
export interface PictureLine {
  readonly from: string;
  readonly to: string;
  readonly path: string;
}

/** The modules as boxes in rows, the root at the top: an import leads down. */
export interface ModulePicture {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly PictureBox[];
  readonly lines: readonly PictureLine[];
}

/** A place in a row: of a module, or of the lines that pass through to a module in a later row. */
interface Slot {
  readonly key: string;
  /** Those in the row before that lead here. */
  readonly sources: string[];
  readonly module: ModuleDescription | undefined;
}

/** Where lines end at a slot: at its top, and at its bottom. */
interface Point {
  readonly x: number;
  readonly top: number;
}

const boxHeight = 48;
const passWidth = 8;
const rowGap = 56;
const columnGap = 20;
const margin = 12;
const letterWidth = 9;
const leastWidth = 160;

/** Imported modules come before those that import them. */
export function toModulePicture(modules: readonly ModuleDescription[]): ModulePicture {
  const depths = toDepths(modules);
  const rows = sortRows(toRows(modules, depths));
  const width = Math.max(...rows.map(widthOf));
  const boxes: PictureBox[] = [];
  const points = new Map<string, Point>();
  for (const [index, row] of rows.entries()) {
    let x = margin + (width - widthOf(row)) / 2;
    const y = margin + index * (boxHeight + rowGap);
    for (const slot of row) {
      const { key, module } = slot;
      const own = slotWidth(slot);
      points.set(key, { x: x + own / 2, top: y });
      if (module !== undefined) {
        const note = `${module.declarations.length} declared, ${module.exports.length} exported`;
        boxes.push({ name: key, x, y, width: own, note });
      }
      x += own + columnGap; // a line that passes through needs its own place too
    }
  }
  const toLine = (from: string, to: string): PictureLine => {
    const path = toPath(wayOf(from, to, depths).flatMap((key) => points.get(key) ?? []));
    return { from, to, path };
  };
  return {
    width: width + 2 * margin,
    height: rows.length * (boxHeight + rowGap) - rowGap + 2 * margin,
    boxes,
    lines: modules.flatMap(({ name, imports }) =>
      imports.filter((imported) => points.has(imported)).map((imported) => toLine(name, imported)),
    ),
  };
}

/** A module is one row below the last that imports it. */
function toDepths(modules: readonly ModuleDescription[]): Map<string, number> {
  const depths = new Map<string, number>();
  for (const { name, imports } of modules.toReversed()) {
    const depth = depths.get(name) ?? 0;
    depths.set(name, depth);
    for (const imported of imports) depths.set(imported, Math.max(depths.get(imported) ?? 0, depth + 1));
  }
  return depths;
}

function toRows(modules: readonly ModuleDescription[], depths: ReadonlyMap<string, number>): Slot[][] {
  const rows: Slot[][] = Array.from({ length: Math.max(0, ...depths.values()) + 1 }, () => []);
  const slots = new Map<string, Slot>();
  const addSlot = (key: string, depth: number, module?: ModuleDescription) => {
    const slot = slots.get(key) ?? { key, sources: [], module };
    if (!slots.has(key)) rows[depth]?.push(slot);
    slots.set(key, slot);
    return slot;
  };
  for (const module of modules) addSlot(module.name, depths.get(module.name) ?? 0, module);
  for (const { name, imports } of modules) {
    for (const imported of imports) {
      if (slots.get(imported)?.module === undefined) continue;
      const way = wayOf(name, imported, depths);
      const first = depths.get(name) ?? 0;
      for (const [index, source] of way.slice(0, -1).entries()) {
        addSlot(way[index + 1] ?? "", first + index + 1).sources.push(source);
      }
    }
  }
  return rows.filter((row) => row.length > 0);
}

/** In a row, by the mean place of what leads there: fewer lines cross. */
function sortRows(rows: readonly (readonly Slot[])[]): Slot[][] {
  const places = new Map<string, number>();
  return rows.map((row) => {
    const mean = ({ sources }: Slot) =>
      sources.reduce((total, source) => total + (places.get(source) ?? 0), 0) / Math.max(sources.length, 1);
    const sorted = row.toSorted((one, other) => mean(one) - mean(other) || one.key.localeCompare(other.key));
    for (const [index, { key }] of sorted.entries()) places.set(key, (index + 0.5) / sorted.length);
    return sorted;
  });
}

/** The slots of a line. Those to the same module share the slots in between. */
function wayOf(from: string, to: string, depths: ReadonlyMap<string, number>): string[] {
  const first = (depths.get(from) ?? 0) + 1;
  const between = Math.max(0, (depths.get(to) ?? 0) - first);
  return [from, ...Array.from({ length: between }, (_, index) => JSON.stringify([to, first + index])), to];
}

function slotWidth({ module }: Slot): number {
  return module === undefined ? passWidth : Math.max(leastWidth, module.name.length * letterWidth + 32);
}

function widthOf(row: readonly Slot[]): number {
  return row.reduce((total, slot) => total + slotWidth(slot) + columnGap, -columnGap);
}

/** A curve between rows, a straight line through one. */
function toPath(points: readonly Point[]): string {
  return points
    .map(({ x, top }, index) => {
      const last = points[index - 1];
      const through = index === 0 || index === points.length - 1 ? "" : ` V${top + boxHeight}`;
      if (last === undefined) return `M${x} ${top + boxHeight}`;
      const bend = top - rowGap / 2;
      return `C${last.x} ${bend} ${x} ${bend} ${x} ${top}${through}`;
    })
    .join(" ");
}
