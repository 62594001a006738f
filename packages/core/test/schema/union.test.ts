import assert from "node:assert/strict";
import { test } from "node:test";
import { array, dto, type Infer, number, string, timestamp, toJsonSchema, union } from "@tenon/core";
import type { Returned } from "@tenon/core/internal";
import type { Equal, Expect } from "../support/types.ts";
import { read, readField } from "./read.ts";

const Shape = union("kind", {
  circle: dto({ radius: number("required", "min=0") }),
  square: dto({ side: number("required"), at: timestamp() }),
});

test("the tag decides which variant is read, and is part of the value", () => {
  assert.deepEqual(read(Shape, { kind: "circle", radius: 1, side: 2 }), { kind: "circle", radius: 1 });
  assert.deepEqual(read(Shape, { kind: "square", side: 2 }), { kind: "square", side: 2 });
  assert.deepEqual(readField(array(Shape), [{ kind: "circle", radius: -1 }, { kind: "square" }]), [
    "f.0.radius min",
    "f.1.side required",
  ]);
});

test("a strict variant takes the tag, and no other field that it does not declare", () => {
  const strict = union("kind", { circle: dto("Circle", { radius: number() }).strict() });
  assert.deepEqual(read(strict, { kind: "circle", radius: 1 }), { kind: "circle", radius: 1 });
  assert.deepEqual(read(strict, { kind: "circle", radios: 1 }), ["radios unknown"]);
  const refer = () => ({ $ref: "#/Circle" });
  assert.deepEqual(toJsonSchema(strict, "input", refer).oneOf, [
    {
      type: "object",
      properties: { kind: { type: "string", const: "circle" }, radius: { type: "number" } },
      required: ["kind"],
      additionalProperties: false,
    },
  ]);
});

test("a missing or unknown tag is one issue on that key", () => {
  for (const kind of [undefined, null, ""]) assert.deepEqual(read(Shape, { kind, radius: "x" }), ["kind required"]);
  for (const kind of ["triangle", "constructor", "__proto__", 1, ["circle"], {}]) {
    assert.deepEqual(read(Shape, { kind }), ["kind oneof"], JSON.stringify(kind));
  }
  assert.deepEqual(read(Shape, Object.create({ kind: "circle", radius: 1 })), ["kind required"]);
  for (const value of ["circle", 1, [], true]) assert.deepEqual(readField(Shape, value), ["f object"]);
});

test("a variant that declares the tag itself throws where the union is defined", () => {
  const message = 'the variant "a" declares "kind", which the union adds';
  assert.throws(() => union("kind", { a: dto({ kind: string() }) }), { name: "TypeError", message });
});

export type Checks = [
  Expect<Equal<Infer<typeof Shape>, { kind: "circle"; radius: number } | { kind: "square"; side: number; at?: Date }>>,
  Expect<
    Equal<
      Returned<typeof Shape>,
      { kind: "circle"; radius: number } | { kind: "square"; side: number; at?: Date | string | undefined }
    >
  >,
];
