import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { framesOf, isOwn, parseFrame, showPlace } from "../../src/error-text/stack-frame.ts";

/** An error as if it had come from these places, the innermost first. */
function errorAt(...places: readonly string[]): Error {
  const error = new Error("failed");
  error.stack = ["Error: failed", ...places.map((place) => `    at ${place}`)].join("\n");
  return error;
}

const url = "file:///srv/blog/app.ts";
const frames: readonly [text: string, name: string][] = [
  [`show (${url}:3:5)`, "show"],
  [`async show (${url}:3:5)`, "show"],
  [`async ${url}:3:5`, ""],
  [`${url}:3:5`, ""],
  ["/srv/blog/app.ts:3:5", ""],
  [`Object.show [as handler] (${url}:3:5)`, "Object.show [as handler]"],
  [`new Posts (${url}:3:5)`, "Posts"],
];

for (const [text, name] of frames) {
  test(`"at ${text}" names a place`, () =>
    assert.deepEqual(parseFrame(`    at ${text}`), { name, file: "/srv/blog/app.ts", line: 3, column: 5 }));
}

test("unusual file names are parsed", () => {
  const file = "/srv/with (brackets) and: colon.ts";
  for (const name of [file, pathToFileURL(file).href]) {
    assert.equal(parseFrame(`    at show (${name}:2:1)`)?.file, file);
    assert.equal(parseFrame(`    at ${name}:2:1`)?.file, file);
  }
});

test("frames without a file name no place", () => {
  for (const text of [
    "process.processTicksAndRejections (node:internal/process/task_queues:104:5)",
    "eval at compile (lib.js:1:1), <anonymous>:3:1",
    "async Promise.all (index 0)",
    "show (file://elsewhere/srv/app.ts:3:5)",
    "native",
  ]) {
    assert.equal(parseFrame(`    at ${text}`), undefined, text);
  }
});

test("files of installed packages and of the framework are not the application's", () => {
  const framework = fileURLToPath(new URL("../../../web/src/web.ts", import.meta.url));
  for (const file of [join("/srv/blog/node_modules/lib/index.js"), framework]) assert.equal(isOwn(file), false, file);
  for (const file of ["/srv/blog/src/app.ts", import.meta.filename]) assert.equal(isOwn(file), true, file);
});

test("a message that looks like stack frames is not among the frames", () => {
  const forged = new Error("no such user\n    at x (/srv/blog/app.ts:1:1)");
  assert.ok(!framesOf(forged).includes("app.ts"));
  assert.ok(framesOf(forged).includes(import.meta.url));
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

test("a place is shown relative to the folder that contains it", () => {
  assert.equal(showPlace({ file: "/srv/blog/src/app.ts", line: 3, column: 5 }, "/srv/blog"), "src/app.ts:3:5");
  assert.equal(showPlace({ file: "/srv/shared/app.ts", line: 3 }, "/srv/blog"), "/srv/shared/app.ts:3");
});
