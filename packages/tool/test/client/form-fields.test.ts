import assert from "node:assert/strict";
import { test } from "node:test";
import { toJsonFields } from "../../src/client/form-fields.ts";

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const text = { type: "string" };
const nothing = { type: "null" };

test("fields of any value and objects are JSON, and so are the items of their lists", () => {
  const properties = {
    any: {},
    described: { description: "Any value.", "x-note": 1 },
    open: true,
    object: { type: "object" },
    nullable: { type: ["object", "null"] },
    either: { anyOf: [ref("Pair"), nothing] },
    list: { type: "array", items: {} },
    pairs: { anyOf: [{ type: "array", items: ref("Pair") }, nothing] },
    tree: ref("Tree"),
    text,
    texts: { type: "array", items: text },
    bare: { type: "array" },
    file: { type: "string", format: "binary" },
    image: { contentMediaType: "image/png" },
    short: { maxLength: 5 },
    state: { enum: ["draft"] },
    mixed: { anyOf: [ref("Pair"), text] },
    several: { type: ["object", "string"] },
    closed: false,
    loop: ref("Loop"),
  };
  const schemas = {
    Form: { allOf: [ref("Base"), ref("Form"), { properties }] },
    Base: { type: "object", properties: { inherited: {} } },
    Pair: { type: "object", properties: { pair: ref("Pair") } },
    Tree: { type: "array", items: { anyOf: [ref("Tree"), ref("Pair")] } },
    Loop: { anyOf: [ref("Loop"), ref("Loop")] },
  };
  assert.deepEqual(toJsonFields({ components: { schemas } }, ref("Form")), [
    ["inherited", "value"],
    ["any", "value"],
    ["described", "value"],
    ["open", "value"],
    ["object", "value"],
    ["nullable", "value"],
    ["either", "value"],
    ["list", "items"],
    ["pairs", "items"],
  ]);
});

test("a schema that is not an object has no fields", () => {
  for (const schema of [undefined, true, {}, text]) assert.deepEqual(toJsonFields({}, schema), []);
});
