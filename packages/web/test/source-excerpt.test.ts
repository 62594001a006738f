import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { HttpError } from "@tenon/core";
import { findSource, framesOf } from "../src/source-excerpt.ts";
import { TemplateError } from "../src/view-engine.ts";
import { temporaryViews } from "./support/views.ts";

const lines = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`);
const folder = temporaryViews({
  "app.ts": lines.join("\n"),
  "with (brackets) and: colon.ts": "one\ntwo",
  "node_modules/lib/index.js": "theirs",
  "large.ts": "x\n".repeat(600_000),
});

/** An error as if it had come from these places, the innermost first. */
function errorAt(...places: readonly string[]): Error {
  const error = new Error("failed");
  error.stack = ["Error: failed", ...places.map((place) => `    at ${place}`)].join("\n");
  return error;
}

test("the lines around the place are shown, with the place marked", () => {
  const excerpt = findSource([errorAt(`show (${join(folder, "app.ts")}:10:5)`)]);
  assert.deepEqual([excerpt?.file, excerpt?.line], [join(folder, "app.ts"), 10]);
  assert.deepEqual(
    excerpt?.lines.map(({ number }) => number),
    [4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16],
  );
  assert.deepEqual(
    excerpt?.lines.filter(({ isHit }) => isHit),
    [{ number: 10, text: "line 10", isHit: true }],
  );
});

test("near the ends of a file there are fewer lines", () => {
  const numbers = (line: number) =>
    findSource([errorAt(`${join(folder, "app.ts")}:${line}:1`)])?.lines.map(({ number }) => number);
  assert.deepEqual([numbers(1)?.[0], numbers(1)?.at(-1)], [1, 7]);
  assert.deepEqual([numbers(30)?.[0], numbers(30)?.at(-1)], [24, 30]);
});

const url = pathToFileURL(join(folder, "app.ts")).href;
const frames: readonly string[] = [
  `show (${url}:3:5)`,
  `async show (${url}:3:5)`,
  `async ${url}:3:5`,
  `${url}:3:5`,
  `Object.show [as handler] (${url}:3:5)`,
  `new Posts (${url}:3:5)`,
];

for (const frame of frames) {
  test(`"at ${frame.replace(url, "app.ts")}" names a place`, () => assert.equal(findSource([errorAt(frame)])?.line, 3));
}

test("unusual file names are parsed", () => {
  const file = join(folder, "with (brackets) and: colon.ts");
  for (const name of [file, pathToFileURL(file).href]) {
    assert.equal(findSource([errorAt(`show (${name}:2:1)`)])?.file, file);
  }
});

test("the first place in a file of the application is shown: none of Node, of a package or of the framework", () => {
  const framework = new URL("../../core/src/kernel.ts", import.meta.url).href;
  const places = [
    "process.processTicksAndRejections (node:internal/process/task_queues:104:5)",
    `lib (${join(folder, "node_modules/lib/index.js")}:1:1)`,
    `Kernel.handle (${framework}:30:1)`,
    "eval at compile (lib.js:1:1), <anonymous>:3:1",
    `show (${join(folder, "app.ts")}:7:1)`,
    `main (${join(folder, "app.ts")}:8:1)`,
  ];
  assert.equal(findSource([errorAt(...places)])?.line, 7);
  assert.equal(findSource([errorAt(...places.slice(0, 4))]), undefined);
  assert.equal(findSource([new HttpError(404, "Not Found")])?.file, import.meta.filename);
});

test("the first error of a chain that names such a place is shown", () => {
  const cause = errorAt(`show (${join(folder, "app.ts")}:7:1)`);
  assert.equal(findSource(["a text", errorAt("native"), cause])?.line, 7);
  assert.equal(findSource([]), undefined);
});

test("the error of a view names its place", () => {
  const file = join(folder, "app.ts");
  assert.equal(findSource([new TemplateError(file, 5, "failed", undefined)])?.line, 5);
  const cause = errorAt(`helper (${file}:9:1)`);
  assert.equal(findSource([new TemplateError(file, undefined, "failed", cause), cause])?.line, 9);
});

test("a message that looks like stack frames names no place", () => {
  const forged = new Error(`no such user\n    at x (${join(folder, "app.ts")}:1:1)`);
  assert.equal(findSource([forged])?.file, import.meta.filename);
  assert.ok(!framesOf(forged).includes("app.ts"));
});

test("a file that is missing, too large or too short shows no excerpt", () => {
  for (const place of ["gone.ts:1:1", "large.ts:1:1", "app.ts:31:1"]) {
    assert.equal(findSource([errorAt(`show (${join(folder, place)})`)]), undefined, place);
  }
});

test("frames exclude the message, however the stack begins", () => {
  assert.equal(framesOf(errorAt("a", "b")), "    at a\n    at b");
  const empty = new Error("");
  empty.stack = "Error\n    at a";
  assert.equal(framesOf(empty), "    at a");
  const renamed = errorAt("a");
  renamed.message = "changed afterwards";
  assert.equal(framesOf(renamed), "    at a");
  const bare = new Error("bare");
  bare.stack = undefined as never; // libraries delete it
  assert.equal(framesOf(bare), "");
});
