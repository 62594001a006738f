import assert from "node:assert/strict";
import { test } from "node:test";
import { array, boolean, dto, integer, nested, string, timestamp } from "@tenon/core";
import type { Returned } from "@tenon/core/internal";
import * as z from "zod";
import { findMismatches } from "../../src/schema/check.ts";
import type { Equal, Expect } from "../support/types.ts";

const Post = dto({
  title: string("required"),
  at: timestamp("required", "nullable"),
  limit: integer("default=20"),
  open: boolean(),
  author: nested(dto({ since: timestamp("required") })),
});
const Text = z.object({ count: z.string().transform(Number), kind: z.string().default("a") });
const Moments = array(timestamp());

export type Checks = [
  Expect<
    Equal<
      Returned<typeof Post>,
      {
        title: string;
        at: Date | string | null;
        limit: number;
        open?: boolean | undefined;
        author?: { since: Date | string } | undefined;
      }
    >
  >,
  Expect<Equal<Returned<typeof Moments>, readonly (Date | string)[]>>,
  Expect<Equal<Returned<typeof Text>, { readonly count: string; readonly kind?: string | undefined }>>,
];

test("what the compiler accepts from a handler matches, and what it rejects does not", async () => {
  const good: Returned<typeof Post> = { title: "a", at: new Date(), limit: 1, open: undefined };
  // @ts-expect-error a handler returns the default itself
  const withoutDefault: Returned<typeof Post> = { title: "a", at: null };
  // @ts-expect-error only nullable fields are null
  const withNull: Returned<typeof Post> = { title: null, at: null, limit: 1 };
  assert.deepEqual(await findMismatches(Post, good), []);
  for (const bad of [withoutDefault, withNull]) assert.equal((await findMismatches(Post, bad)).length, 1);
});
