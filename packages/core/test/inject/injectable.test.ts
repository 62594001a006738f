import assert from "node:assert/strict";
import { test } from "node:test";
import { type Injectable, resolveOptions } from "@tenon/core/internal";

interface Options {
  readonly port: number;
  readonly host?: string;
  readonly share?: () => string;
}
type Given = Injectable<Options, "share">;

test("a function is called for its value, and undefined leaves an option out", () => {
  const share = () => "shared";
  const given: Given = { port: () => 1, host: () => undefined, share };
  assert.deepEqual(resolveOptions<Options, "share">(given, ["share"]), { port: 1, share });
  assert.deepEqual(resolveOptions<Options>({ port: 2, host: () => "a" }), { port: 2, host: "a" });
});

test("a required option may not be undefined, and a plain one is not a function that returns it", () => {
  // @ts-expect-error: port is required
  const missing: Given = { port: () => undefined };
  // @ts-expect-error: a value of another type
  const wrong: Given = { port: () => "1" };
  // @ts-expect-error: share is the function itself
  const twice: Given = { port: 1, share: () => () => "shared" };
  assert.equal([missing, wrong, twice].length, 3);
});

test("a function with parameters is a value", () => {
  const middleware = (ctx: unknown) => ctx;
  assert.deepEqual(resolveOptions({ list: middleware } as object), { list: middleware });
});

test("options of a module are without its imports", () => {
  assert.deepEqual(resolveOptions({ imports: [], port: () => 1 } as object), { port: 1 });
});
