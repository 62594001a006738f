import assert from "node:assert/strict";
import { test } from "node:test";
import { exitOnStartError } from "../../src/config/exit-on-start-error.ts";

test("an error that is not a start error is thrown", () => {
  const error = new TypeError("a defect");
  assert.throws(() => exitOnStartError(error), error);
});
