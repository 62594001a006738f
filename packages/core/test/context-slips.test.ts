import assert from "node:assert/strict";
import { test } from "node:test";
import { type Context, dto, provide, string, token } from "@tenon/core";
import { testOnBothTransports } from "./support/transports.ts";

const NameDTO = dto({ name: string("required") });

testOnBothTransports(
  "a bind() that nobody awaits does not end the process",
  [
    {
      method: "POST",
      path: "/",
      handler: (ctx: Context) => {
        void ctx.bind(NameDTO);
        return "answered";
      },
    },
  ],
  async (call) => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => unhandled.push(reason);
    process.on("unhandledRejection", note);
    try {
      const res = await call("POST", "/", { body: "{}", headers: { "content-type": "application/json" } });
      assert.equal(await res.json(), "answered");
      await new Promise((resolve) => setTimeout(resolve, 20));
      assert.deepEqual(unhandled, []);
    } finally {
      process.off("unhandledRejection", note);
    }
  },
);

for (const [limit, text] of [
  [Number.NaN, "NaN"],
  [-1, "-1"],
  [Number.POSITIVE_INFINITY, "Infinity"],
] as const) {
  testOnBothTransports(
    `limitBody(${text}) is refused instead of lifting the limit`,
    [
      {
        method: "POST",
        path: "/",
        handler: (ctx: Context) => {
          try {
            ctx.limitBody(limit);
          } catch (error) {
            return String(error);
          }
          return "lifted";
        },
      },
    ],
    async (call) => {
      const res = await call("POST", "/", { body: "x" });
      assert.equal(await res.json(), `RangeError: limitBody(${text}): it takes a whole number of bytes, zero or more`);
    },
  );
}

test("provide() holds the factory to the type of its key", () => {
  const Count = token<{ readonly count: number }>("Count");
  class Repository {
    find(id: string): string {
      return id;
    }
  }
  // @ts-expect-error: the factory gives no Repository
  provide(Repository, () => ({}));
  // @ts-expect-error: the factory gives nothing
  provide(Repository, () => undefined);
  // @ts-expect-error: count is missing
  provide(Count, () => ({}));
  assert.deepEqual(provide(Count, () => ({ count: 1 })).factory(), { count: 1 });
});
