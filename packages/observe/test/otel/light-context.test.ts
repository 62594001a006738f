import assert from "node:assert/strict";
import { test } from "node:test";
import { emptyContext } from "../../src/otel/light-context.ts";

const [span, baggage, other] = [Symbol("span"), Symbol("baggage"), Symbol("other")];

test("a context has the last value of each key, and the one before it is unchanged", () => {
  const first = emptyContext.setValue(span, 1).setValue(baggage, "a");
  const second = first.setValue(span, 2);
  assert.deepEqual([first.getValue(span), first.getValue(baggage), first.getValue(other)], [1, "a", undefined]);
  assert.deepEqual([second.getValue(span), second.getValue(baggage)], [2, "a"]);
});

test("a deleted value is gone, and the others stay", () => {
  const both = emptyContext.setValue(span, 1).setValue(baggage, "a");
  const one = both.deleteValue(span);
  assert.deepEqual([one.getValue(span), one.getValue(baggage)], [undefined, "a"]);
  assert.equal(one.deleteValue(baggage), emptyContext);
  assert.equal(both.deleteValue(other), both);
  assert.equal(emptyContext.deleteValue(span), emptyContext);
});

test("contexts in contexts without an end take no more memory than one", () => {
  let context = emptyContext;
  for (let count = 0; count < 100_000; count++) context = context.setValue(count % 2 === 0 ? span : baggage, count);
  assert.equal(context.deleteValue(span).deleteValue(baggage), emptyContext);
  assert.equal(context.getValue(other), undefined); // a chain of all of them would overflow the stack
});
