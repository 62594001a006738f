// Prints the rooms of core and of the server, and the floors that they stand on: a room imports only from the floors below
// its own.
import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

const limits = { core: { rooms: 20, floors: 9 }, server: { rooms: 15, floors: 6 } };

/** A folder of `src` with all that is in it, or a file beside the folders. */
function roomOf(file: string): string {
  return file.split(sep)[0]?.replace(/\.ts$/, "") ?? "";
}

/** The rooms that each one imports from, and the first file that does. */
function findArrows(src: string): Map<string, Map<string, string>> {
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

for (const [name, most] of Object.entries(limits)) {
  const arrows = findArrows(fileURLToPath(new URL(`../packages/${name}/src`, import.meta.url)));
  const { floors, rest } = toFloors(arrows);
  for (const [index, floor] of [...floors.entries()].reverse()) console.log(`${index + 1}  ${floor.join(" ")}`);
  for (const room of rest) {
    const targets = [...(arrows.get(room) ?? [])].filter(([target]) => rest.includes(target));
    console.log(`circle: ${room} → ${targets.map(([target, file]) => `${target} (${file})`).join(", ")}`);
  }
  const count = [...arrows.values()].reduce((sum, targets) => sum + targets.size, 0);
  console.log(
    `${name}: ${arrows.size} rooms (at most ${most.rooms}) on ${floors.length} floors (at most ${most.floors}), ${count} arrows\n`,
  );
  if (arrows.size > most.rooms || floors.length > most.floors || rest.length > 0) process.exitCode = 1;
}
