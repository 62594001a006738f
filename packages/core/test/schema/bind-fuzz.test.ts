import assert from "node:assert/strict";
import { test } from "node:test";
import {
  api,
  array,
  boolean,
  date,
  dto,
  endpoint,
  integer,
  json,
  literal,
  nested,
  number,
  type Routes,
  record,
  string,
  timestamp,
  union,
} from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import fc from "fast-check";
import * as z from "zod";
import { findResultIssues } from "../../src/schema/dto.ts";
import { type FoundIssue, maxIssues, toIssues } from "../../src/schema/found-issue.ts";
import { compileSelect } from "../../src/schema/select.ts";
import { hostileBody, hostileValue } from "../support/hostile-bodies.ts";
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
  {
    method: "POST",
    path: "/endpoint",
    handler: endpoint({ body: BodyDTO }, (ctx, { body }) => ctx.status(201).json(body)),
  },
  { method: "POST", path: "/schema", handler: async (ctx) => ctx.status(201).json(await ctx.bind(BodySchema)) },
];

test("a route that binds responds 201 or 400 to any body, and no prototype changes (F1)", async () => {
  const app = await createTestApp(moduleOf(routes), api({ middlewares: [] }));
  const before = Object.getOwnPropertyNames(Object.prototype);
  const seen = new Map<string, number>();
  try {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom("/bind", "/endpoint", "/schema"), hostileBody, async (path, input) => {
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
  for (const path of ["/bind", "/endpoint", "/schema"]) {
    for (const status of [201, 400]) assert.ok((seen.get(`${path} ${status}`) ?? 0) > 10, `${path} gave ${status}`);
  }
});

const EveryDTO = dto("Every", {
  text: string("trim", "max=20", "pattern=^[^<]*$"),
  word: string("oneof=a b", "default=a"),
  count: integer("nullable", "default=3"),
  ratio: number("nullable"),
  open: boolean("default=true"),
  day: date("nullable"),
  at: timestamp(),
  one: literal(["a", 1, true], "nullable"),
  counts: record(integer("nullable"), "max=4"),
  inner: nested(Inner, "nullable"),
  list: array(Inner),
  shape: union("kind", { circle: dto({ radius: number("required") }), dot: dto({ at: timestamp("nullable") }) }),
  meta: json("nullable"),
});
const moment = fc
  .date({ min: new Date(0), noInvalidDate: true, max: new Date(4e12) })
  .map((value) => value.toISOString());
const nothing = fc.constantFrom(null, undefined);
const likely = {
  text: fc.string({ unit: "grapheme", maxLength: 25 }),
  word: fc.constantFrom("a", "b"),
  count: fc.integer(),
  ratio: fc.double({ noNaN: true, noDefaultInfinity: true }),
  open: fc.boolean(),
  day: moment.map((text) => text.slice(0, 10)),
  at: moment,
  one: fc.constantFrom("a", 1, true),
  counts: fc.dictionary(fc.string(), fc.option(fc.integer()), { maxKeys: 5 }),
  inner: fc.record({ email: fc.constant("a@b.co"), list: fc.array(fc.nat(), { maxLength: 3 }), x: fc.anything() }),
  list: fc.array(fc.record({ list: fc.array(fc.nat(), { maxLength: 3 }) }), { maxLength: 3 }),
  shape: fc.oneof(
    fc.record({ kind: fc.constant("circle"), radius: fc.integer() }),
    fc.record({ kind: fc.constant("dot"), at: fc.option(moment), radius: fc.anything() }),
  ),
  meta: fc.jsonValue(),
};
type Name = keyof typeof likely;
const names = Object.keys(likely) as Name[]; // the keys of the record above
const mixed = Object.fromEntries(
  names.map((name) => [
    name,
    fc.oneof(
      { arbitrary: likely[name] as fc.Arbitrary<unknown>, weight: 30 },
      { arbitrary: nothing, weight: 3 },
      hostileValue,
    ),
  ]),
);

test("whatever a DTO accepts can be selected, matches, and is accepted again unchanged (F1)", async () => {
  const select = compileSelect(EveryDTO);
  const seen = { accepted: 0, rejected: 0 };
  await fc.assert(
    fc.asyncProperty(fc.oneof({ arbitrary: fc.record(mixed), weight: 9 }, hostileValue), async (input) => {
      const issues: FoundIssue[] = [];
      const value = EveryDTO.parse(input, issues, { fromText: false });
      if (issues.length > 0) {
        seen.rejected++;
        assert.ok(issues.length <= maxIssues + names.length);
        for (const { rule, message, keys } of toIssues(issues)) {
          assert.ok(rule !== "" && message !== "" && (keys?.length ?? 0) <= 66);
        }
        return;
      }
      seen.accepted++;
      const text = JSON.stringify(value);
      assert.deepEqual(await findResultIssues(EveryDTO, value), []);
      assert.equal(JSON.stringify(select(value)), text);
      assert.equal(JSON.stringify(select({ ...value, password: "x" })), text);
      const again = EveryDTO.parse(JSON.parse(text), issues, { fromText: false });
      assert.deepEqual(issues, []);
      assert.equal(JSON.stringify(again), text);
    }),
    seeded("values that a DTO accepts", { fast: 3_000, full: 60_000 }),
  );
  assert.ok(seen.accepted > 100 && seen.rejected > 100, JSON.stringify(seen));
});

test("select and check withstand any value, and nothing undeclared leaves (F1)", () => {
  const select = compileSelect(EveryDTO);
  const declared = new Set(Object.keys(EveryDTO.fields));
  fc.assert(
    fc.property(
      fc.oneof(fc.record(mixed), fc.anything({ withDate: true, withMap: true, withBigInt: false })),
      (input) => {
        assert.ok(Array.isArray(findResultIssues(EveryDTO, input)));
        const { meta: _, ...chosen } = (select(input) ?? {}) as Record<string, unknown>; // an object or nothing
        for (const key of Object.keys(chosen)) assert.ok(declared.has(key), key);
        for (const key of Object.keys(chosen.inner ?? {})) assert.ok(Object.hasOwn(Inner.fields, key), key);
      },
    ),
    seeded("values that a handler returns", { fast: 3_000, full: 60_000 }),
  );
});
