import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { test } from "node:test";

const page = readFileSync("docs/architecture.md", "utf8");

/** The lines of the page that speak of one room: its own, and the indented ones below it. */
function roomsOf(text: string): Map<string, string> {
  const rooms = new Map<string, string>();
  let current = "";
  for (const line of text.split("\n")) {
    const start = /^(src\/\S*)\s+(.*)$/.exec(line);
    if (start !== null) current = start[1] ?? "";
    if (current !== "" && (start !== null || line.startsWith("   "))) {
      rooms.set(current, `${rooms.get(current) ?? ""} ${line.trim()}`);
    } else current = "";
  }
  return rooms;
}

for (const source of globSync("packages/*/src")) {
  const owner = basename(dirname(source));
  test(`docs/architecture.md names every room and file of ${owner}`, () => {
    const section = page.split(/^## /m).find((part) => part.startsWith(`Rooms of ${owner}\n`));
    assert.ok(section, `there is no section "Rooms of ${owner}"`);
    const rooms = roomsOf(section);
    for (const file of globSync("**/*.ts", { cwd: source })) {
      const name = basename(file, ".ts");
      const folder = dirname(file);
      const room = folder === "." ? [...rooms.values()].join(" ") : rooms.get(`src/${folder}/`);
      assert.ok(room !== undefined, `src/${folder}/ is not a room of the page`);
      const named = new RegExp(`(?<![\\w-])${name}(?![\\w-])`);
      assert.ok(name === "index" || named.test(room), `src/${file} is not named in its room`);
    }
    for (const room of rooms.keys()) {
      const found = globSync(room.endsWith("/") ? `${room}*.ts` : room, { cwd: dirname(source) });
      assert.ok(found.length > 0, `the page names ${room}, which is not there`);
    }
  });
}
