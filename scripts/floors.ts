// Prints the rooms of core and the floors that they stand on: a room imports only from the floors below its own.
import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

const src = fileURLToPath(new URL("../packages/core/src", import.meta.url));
const limits = { rooms: 20, floors: 10 };

/** A folder of `src` with all that is in it, or a file beside the folders. */
function roomOf(file: string): string {
  return file.split(sep)[0]?.replace(/\.ts$/, "") ?? "";
}

/** The rooms that each one imports from, and the first file that does. */
function findArrows(): Map<string, Map<string, string>> {
  const arrows = new Map<string, Map<string, string>>();
  for (const file of globSync("**/*.ts", { cwd: src }).sort()) {
    const room = roomOf(file);
    const targets = arrows.get(room) ?? new Map<string, string>();
    arrows.set(room, targets);
    for (const [, path = ""] of readFileSync(join(src, file), "utf8").matchAll(/(?:from|import\()\s*"(\.[^"]+)"/g)) {
      const target = roomOf(relative(src, join(src, dirname(file), path)));
      if (target !== room && !targets.has(target)) targets.set(target, file);
    }
  }
  return arrows;
}

/** Floors from the lowest: a room is above all that it imports from. What is left has circles. */
function toFloors(arrows: ReadonlyMap<string, ReadonlyMap<string, string>>): { floors: string[][]; rest: string[] } {
  const floors: string[][] = [];
  const placed = new Set<string>();
  for (;;) {
    const rest = [...arrows.keys()].filter((room) => !placed.has(room));
    const floor = rest.filter((room) => [...(arrows.get(room)?.keys() ?? [])].every((target) => placed.has(target)));
    if (floor.length === 0) return { floors, rest };
    for (const room of floor) placed.add(room);
    floors.push(floor);
  }
}

const arrows = findArrows();
const { floors, rest } = toFloors(arrows);
for (const [index, floor] of [...floors.entries()].reverse()) console.log(`${index + 1}  ${floor.join(" ")}`);
for (const room of rest) {
  const targets = [...(arrows.get(room) ?? [])].filter(([target]) => rest.includes(target));
  console.log(`circle: ${room} → ${targets.map(([target, file]) => `${target} (${file})`).join(", ")}`);
}
const count = [...arrows.values()].reduce((sum, targets) => sum + targets.size, 0);
console.log(
  `${arrows.size} rooms (at most ${limits.rooms}) on ${floors.length} floors (at most ${limits.floors}), ${count} arrows`,
);
if (arrows.size > limits.rooms || floors.length > limits.floors || rest.length > 0) process.exitCode = 1;
