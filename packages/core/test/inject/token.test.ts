import assert from "node:assert/strict";
import { test } from "node:test";
import { provide, token } from "@tenon/core";

test("provide() checks the factory against the type of its key", () => {
  const Count = token<{ readonly count: number }>("Count");
  class Repository {
    find(id: string): string {
      return id;
    }
  }
  // @ts-expect-error: the factory does not return a Repository
  provide(Repository, () => ({}));
  // @ts-expect-error: the factory returns nothing
  provide(Repository, () => undefined);
  // @ts-expect-error: count is missing
  provide(Count, () => ({}));
  assert.deepEqual(provide(Count, () => ({ count: 1 })).factory(), { count: 1 });
});
