import assert from "node:assert/strict";
import { test } from "node:test";
import { type PictureBox, toModulePicture } from "../../src/pages/module-picture.ts";

const boxHeight = 48;
const module = (name: string, ...imports: string[]) => ({ name, imports, exports: [], declarations: [] });

/** The points of a line, in their order. */
function pointsOf(path: string): { x: number; y: number }[] {
  let x = 0;
  let y = 0;
  return [...path.matchAll(/([MCV])([^MCV]+)/g)].map(([, command, text = ""]) => {
    const numbers = text.trim().split(" ").map(Number);
    if (command !== "V") x = numbers.at(-2) ?? 0;
    y = numbers.at(-1) ?? 0;
    return { x, y };
  });
}

function touches({ x, y, width }: PictureBox, point: { x: number; y: number }): boolean {
  return point.x >= x && point.x <= x + width && point.y >= y && point.y <= y + boxHeight;
}

test("modules are placed in rows, and each import leads down", () => {
  const { boxes, lines, width, height } = toModulePicture([
    module("data"),
    module("auth", "data"),
    module("posts", "auth", "data"),
    module("app", "posts", "auth", "gone"),
  ]);
  const y = new Map(boxes.map((box) => [box.name, box.y]));
  assert.deepEqual(
    lines.map(({ from, to }) => `${from} ${to}`),
    ["auth data", "posts auth", "posts data", "app posts", "app auth"],
  );
  for (const { from, to } of lines) assert.ok((y.get(from) ?? 0) < (y.get(to) ?? 0), `${from} ${to}`);
  for (const box of boxes) assert.ok(box.x >= 0 && box.x + box.width <= width && box.y + boxHeight <= height);
});

test("a line touches the boxes of its two modules and no other, where it passes rows too", () => {
  const { boxes, lines } = toModulePicture([
    module("config"),
    module("data", "config"),
    module("jobs", "data", "config"),
    module("mail", "jobs", "config"),
    module("users", "data", "config"),
    module("app", "mail", "users", "data", "config"),
  ]);
  assert.equal(lines.length, 11);
  for (const { from, to, path } of lines) {
    const touched = boxes.filter((box) => pointsOf(path).some((point) => touches(box, point)));
    assert.deepEqual(touched.map(({ name }) => name).sort(), [from, to].sort(), path);
  }
});
