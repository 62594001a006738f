import assert from "node:assert/strict";
import { test } from "node:test";
import { api, array, boolean, dto, integer, nested, number, type Routes, string, takes } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import fc from "fast-check";
import * as z from "zod";
import { hostileBody } from "../support/hostile-bodies.ts";
import { seeded } from "../support/seed.ts";
import { moduleOf } from "../support/transports.ts";

const Inner = dto({ email: string("email"), list: array(integer("min=0")) });
const BodyDTO = dto({
  a: string("required", "min=1", "max=50"),
  b: number(),
  c: boolean(),
  d: array(nested(Inner)),
  toString: string(),
  constructor: nested(Inner),
});
const BodySchema = z.record(z.string(), z.json());

const routes: Routes = [
  { method: "POST", path: "/bind", handler: async (ctx) => ctx.status(201).json(await ctx.bind(BodyDTO)) },
  { method: "POST", path: "/takes", handler: takes(BodyDTO, (ctx, input) => ctx.status(201).json(input)) },
  { method: "POST", path: "/schema", handler: async (ctx) => ctx.status(201).json(await ctx.bind(BodySchema)) },
];

test("a route that binds responds 201 or 400 to any body, and no prototype changes (F1)", async () => {
  const app = await createTestApp(moduleOf(routes), api({ middlewares: [] }));
  const before = Object.getOwnPropertyNames(Object.prototype);
  const seen = new Map<string, number>();
  try {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom("/bind", "/takes", "/schema"), hostileBody, async (path, input) => {
        const response = await app.request("POST", path, {
          body: input,
          headers: { "content-type": "application/json" },
        });
        const text = await response.text();
        seen.set(`${path} ${response.status}`, (seen.get(`${path} ${response.status}`) ?? 0) + 1);
        assert.ok(response.status === 201 || response.status === 400, `${response.status} ${text}`);
        if (response.status === 400) assert.equal(text, '{"error":"Invalid request"}');
        assert.deepEqual(Object.getOwnPropertyNames(Object.prototype), before);
        assert.equal("polluted" in {}, false);
      }),
      seeded("bodies against binding routes", { fast: 3_000, full: 60_000 }),
    );
  } finally {
    await app.stop();
  }
  for (const path of ["/bind", "/takes", "/schema"]) {
    for (const status of [201, 400]) assert.ok((seen.get(`${path} ${status}`) ?? 0) > 10, `${path} gave ${status}`);
  }
});
