import assert from "node:assert/strict";
import { test } from "node:test";
import { array, dto, file, type Infer, type UploadedFile } from "@tenon/core";
import type { Equal, Expect } from "../support/types.ts";
import { asForm, readField } from "./read.ts";

const png: UploadedFile = { field: "f", name: "a.png", type: "image/png", bytes: new Uint8Array(4) };

test("a file of a form is bound as it is", () => {
  assert.equal(readField(file("required"), png, asForm), png);
  assert.deepEqual(readField(file("required"), undefined, asForm), ["f required"]);
  assert.deepEqual(readField(file("required"), "", asForm), ["f required"]);
  assert.equal(readField(file(), "", asForm), undefined);
});

test("neither text nor JSON can stand for a file", () => {
  for (const value of ["a.png", 1, [], { ...png, bytes: "x" }, { bytes: png.bytes }, JSON.parse(JSON.stringify(png))]) {
    assert.deepEqual(readField(file(), value), ["f file"]);
  }
});

test("max counts bytes and type is one of the media types", () => {
  const field = file("max=4", "type=image/png application/pdf");
  assert.equal(readField(field, png), png);
  assert.deepEqual(readField(field, { ...png, bytes: new Uint8Array(5) }), ["f max"]);
  assert.deepEqual(readField(field, { ...png, type: "text/html" }), ["f type"]);
  const withParameter = { ...png, type: "Image/PNG; q=1" };
  assert.equal(readField(field, withParameter), withParameter);
  assert.equal(readField(file("type=image/*"), png), png);
  assert.deepEqual(readField(file("type=image/*"), { ...png, type: "imagex/png" }), ["f type"]);
  assert.deepEqual(file("max=1", "type=Image/PNG").rules(), ["must have at most 1 byte", "must be of type image/png"]);
});

test("one file is a list of one where the DTO says array", () => {
  assert.deepEqual(readField(array(file(), "max=2"), png, asForm), [png]);
  assert.deepEqual(readField(array(file(), "max=1"), [png, png], asForm), ["f max"]);
});

test("a streamed file has a limit, or it would have none", () => {
  for (const tags of [["stream"], ["stream", "max=x"], ["stream", "max=Infinity"]]) {
    assert.throws(() => file(...(tags as ["stream"])), { name: "TypeError", message: /needs "max="/ });
  }
});

const Upload = dto({ avatar: file("required", "max=100"), others: array(file()) });
export type Checks = [Expect<Equal<Infer<typeof Upload>, { avatar: UploadedFile; others?: UploadedFile[] }>>];
