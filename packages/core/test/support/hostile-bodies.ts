import fc from "fast-check";

const names = ["__proto__", "constructor", "prototype", "toString", "email", "list", "a", "b", "c", "d", "x"];
const name = fc.constantFrom(...names);
const text = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("", "\0", "\ud800", "a@b.co", "__proto__"));
/** A value of any kind, with the names that prototypes have. */
export const { value: hostileValue } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(text, fc.double(), fc.integer(), fc.boolean(), fc.constant(null)),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(name, tie("value"), { maxKeys: 6, noNullPrototype: false }),
  ),
}));

/** JSON of every kind, JSON that is nearly right, and bytes that are not JSON at all. */
export const hostileBody: fc.Arbitrary<string | Uint8Array<ArrayBuffer>> = fc.oneof(
  { arbitrary: hostileValue.map((json) => JSON.stringify(json)), weight: 6 },
  { arbitrary: hostileValue.map((d) => JSON.stringify({ a: "fine", d })), weight: 3 },
  { arbitrary: hostileValue.map((x) => JSON.stringify({ a: "fine", x })), weight: 2 }, // undeclared, so dropped
  { arbitrary: fc.json(), weight: 2 },
  { arbitrary: fc.string({ unit: "binary" }), weight: 1 },
  { arbitrary: fc.nat(5000).map((depth) => "[".repeat(depth) + "]".repeat(depth)), weight: 1 },
  { arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => new Uint8Array(bytes)), weight: 1 },
);
