import type { ModuleDescription } from "@tenon/core/platform";

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

/** The modules as boxes in columns, the root at the left: an import leads to the right. */
export interface ModulePicture {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly PictureBox[];
  readonly lines: readonly PictureLine[];
}

/** A place in a column: of a module, or of a line that passes through to a later column. */
interface Slot {
  readonly key: string;
  /** Those in the column before that lead here. */
  readonly sources: string[];
  readonly module: ModuleDescription | undefined;
}

const boxHeight = 48;
const passHeight = 8;
const rowGap = 20;
const columnGap = 90;
const margin = 12;
const letterWidth = 8;
const leastWidth = 160;

/** Imported modules come before those that import them. */
export function toModulePicture(modules: readonly ModuleDescription[]): ModulePicture {
  const columns = sortColumns(toColumns(modules, toDepths(modules)));
  const height = Math.max(...columns.map(heightOf));
  const boxes = new Map<string, PictureBox>();
  const places = new Map<string, { readonly left: number; readonly right: number; readonly y: number }>();
  let x = margin;
  for (const column of columns) {
    const width = Math.max(leastWidth, ...column.map(({ module }) => (module?.name.length ?? 0) * letterWidth + 32));
    let y = margin + (height - heightOf(column)) / 2;
    for (const { key, module } of column) {
      const own = module === undefined ? passHeight : boxHeight;
      places.set(key, { left: x, right: x + width, y: y + own / 2 });
      if (module === undefined) continue;
      const note = `${module.declarations.length} declared, ${module.exports.length} exported`;
      boxes.set(key, { name: module.name, x, y, width, note });
      y += own + rowGap;
    }
    x += width + columnGap;
  }
  const toLine = (from: string, to: string): PictureLine[] => {
    const way = [
      from,
      ...columns.flatMap((column) => column.flatMap(({ key }) => (isPass(key, from, to) ? key : []))),
      to,
    ];
    const points = way.flatMap((key) => places.get(key) ?? []);
    return points.length < 2 || !boxes.has(to) ? [] : [{ from, to, path: toPath(points) }];
  };
  return {
    width: x - columnGap + margin,
    height: height + 2 * margin,
    boxes: [...boxes.values()],
    lines: modules.flatMap(({ name, imports }) => imports.flatMap((imported) => toLine(name, imported))),
  };
}

/** A module is one column right of the last that imports it. */
function toDepths(modules: readonly ModuleDescription[]): Map<string, number> {
  const depths = new Map<string, number>();
  for (const { name, imports } of modules.toReversed()) {
    const depth = depths.get(name) ?? 0;
    depths.set(name, depth);
    for (const imported of imports) depths.set(imported, Math.max(depths.get(imported) ?? 0, depth + 1));
  }
  return depths;
}

function toColumns(modules: readonly ModuleDescription[], depths: ReadonlyMap<string, number>): Slot[][] {
  const columns: Slot[][] = Array.from({ length: Math.max(0, ...depths.values()) + 1 }, () => []);
  const slots = new Map<string, Slot>();
  const addSlot = (depth: number, slot: Slot) => {
    slots.set(slot.key, slot);
    columns[depth]?.push(slot);
  };
  for (const module of modules) addSlot(depths.get(module.name) ?? 0, { key: module.name, sources: [], module });
  for (const { name, imports } of modules) {
    for (const imported of imports) {
      let source = name;
      const end = depths.get(imported) ?? 0;
      for (let depth = (depths.get(name) ?? 0) + 1; depth < end; depth++) {
        const key = toPass(name, imported, depth);
        addSlot(depth, { key, sources: [source], module: undefined });
        source = key;
      }
      slots.get(imported)?.sources.push(source);
    }
  }
  return columns.filter((column) => column.length > 0);
}

/** In a column, by the mean place of what leads there: fewer lines cross. */
function sortColumns(columns: readonly (readonly Slot[])[]): Slot[][] {
  const places = new Map<string, number>();
  return columns.map((column) => {
    const mean = ({ sources }: Slot) =>
      sources.reduce((total, source) => total + (places.get(source) ?? 0), 0) / Math.max(sources.length, 1);
    const sorted = column.toSorted((one, other) => mean(one) - mean(other) || one.key.localeCompare(other.key));
    for (const [index, { key }] of sorted.entries()) places.set(key, (index + 0.5) / sorted.length);
    return sorted;
  });
}

function toPass(from: string, to: string, depth: number): string {
  return JSON.stringify([from, to, depth]);
}

function isPass(key: string, from: string, to: string): boolean {
  return key.startsWith(`${JSON.stringify([from, to]).slice(0, -1)},`);
}

function heightOf(column: readonly Slot[]): number {
  return column.reduce(
    (total, { module }) => total + (module === undefined ? passHeight : boxHeight) + rowGap,
    -rowGap,
  );
}

/** A curve between columns, a straight line through one. */
function toPath(points: readonly { readonly left: number; readonly right: number; readonly y: number }[]): string {
  const [first, ...others] = points;
  let path = `M${first?.right} ${first?.y}`;
  let last = first;
  for (const point of others) {
    const start = last?.right ?? 0;
    const bend = (start + point.left) / 2;
    path += ` C${bend} ${last?.y} ${bend} ${point.y} ${point.left} ${point.y}`;
    if (point !== others.at(-1)) path += ` H${point.right}`;
    last = point;
  }
  return path;
}
