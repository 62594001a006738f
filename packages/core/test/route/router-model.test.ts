import assert from "node:assert/strict";
import { test } from "node:test";
import type { Route } from "@tenon/core";
import fc from "fast-check";
import { flattenRoutes } from "../../src/route/flatten.ts";
import { type Routable, Router } from "../../src/route/router.ts";
import type { Problem } from "../../src/support/errors.ts";
import { noteFigures } from "../support/figures.ts";
import { type ModelResolution, type ModelRoute, resolveByRules } from "../support/route-model.ts";
import { seeded } from "../support/seed.ts";

interface Draft {
  readonly method: NonNullable<Route["method"]>;
  readonly segments: readonly string[];
  readonly end: "" | "/" | "/*";
  /** After which segments a group ends. */
  readonly cuts: number;
}

// few names, so that routes overlap and paths match
const draft: fc.Arbitrary<Draft> = fc.record({
  method: fc.constantFrom("GET", "GET", "GET", "POST", "HEAD"),
  segments: fc.array(fc.constantFrom("a", "b", "é", "a b", "5%", "%41", ":", ":", ":"), { maxLength: 4, size: "max" }),
  end: fc.constantFrom("", "", "/", "/*"),
  cuts: fc.nat(15),
});
const requestSegment = fc.oneof(
  { arbitrary: fc.constantFrom("a", "b", "%C3%A9", "a%20b", "5%25", "%2541"), weight: 14 },
  { arbitrary: fc.constantFrom("%61", "%62", "c", "A", "", "a%2Fb", "%2F", "%252F", "%41", "%35%25"), weight: 4 },
  { arbitrary: fc.constantFrom("%", "5%", "%zz", "%C3", ".", "..", "%2e", "%00", "a%00"), weight: 1 },
);
const request = fc.record({
  method: fc.constantFrom("GET", "GET", "GET", "POST", "HEAD", "PUT", "constructor"),
  path: fc.array(requestSegment, { maxLength: 6, size: "max" }).map((segments) => `/${segments.join("/")}`),
});

/** The drafts as the model sees them: parameters named, duplicates of one method and shape left out. */
function toModel(drafts: readonly Draft[]): { draft: Draft; route: ModelRoute }[] {
  const seen = new Set<string>();
  return drafts.flatMap((draft) => {
    const named = draft.segments.map((segment, index) => (segment === ":" ? `:p${index}` : segment));
    const end = draft.end === "" ? [] : [draft.end.slice(1)];
    const segments = [...named, ...end].length === 0 ? [""] : [...named, ...end];
    const key = `${draft.method} ${segments.join("/")}`;
    if (seen.has(key)) return [];
    seen.add(key);
    return [{ draft, route: { method: draft.method, segments } }];
  });
}

/** The same route as an application would write it: nested groups around a leaf. */
function toRecord({ draft, route }: { draft: Draft; route: ModelRoute }): Route {
  const named = route.segments.slice(0, draft.segments.length);
  const parts: string[] = [""];
  for (const [index, segment] of named.entries()) {
    parts[parts.length - 1] += `/${segment.replaceAll("%", "%25")}`;
    if ((draft.cuts & (1 << index)) !== 0 && index < named.length - 1) parts.push("");
  }
  const leafPath = `${parts.pop() ?? ""}${draft.end}` || "/";
  const leaf: Route = { method: draft.method, path: leafPath, handler: () => route };
  return parts.reduceRight<Route>((child, path) => ({ path, children: [child] }), leaf);
}

function createRouter(drafts: readonly Draft[]): { model: ModelRoute[]; router: Router<Routable> } {
  const model = toModel(drafts);
  const problems: Problem[] = [];
  const owner = { name: "model", controller: "model", self: undefined, compile: () => undefined };
  const router = new Router(flattenRoutes(model.map(toRecord), owner, problems));
  assert.deepEqual(problems, []);
  return { model: model.map(({ route }) => route), router };
}

function resolve(
  router: Router<Routable>,
  model: readonly ModelRoute[],
  method: string,
  path: string,
): ModelResolution {
  try {
    const match = router.resolve(method, path);
    if (match === undefined) return "miss";
    const route = model[router.routes.indexOf(match.route)];
    assert.ok(route !== undefined);
    return { route, params: { ...match.toMap() } };
  } catch {
    return "malformed";
  }
}

test("the router resolves random tables and paths like the literal model of the rules (P2)", () => {
  const seen = new Map<string, number>();
  const parameters = seeded("router against its model", { fast: 1_200, full: 100_000 });
  fc.assert(
    fc.property(
      fc.array(draft, { maxLength: 40, size: "max" }),
      fc.array(request, { minLength: 1, maxLength: 12, size: "max" }),
      (drafts, requests) => {
        const { model, router } = createRouter(drafts);
        for (const { method, path } of requests) {
          const expected = resolveByRules(model, method, path);
          assert.deepEqual(resolve(router, model, method, path), expected, `${method} ${path}`);
          assert.deepEqual(resolve(router, model, method, path), expected, `${method} ${path}, cached`);
          const kind = kindOf(expected);
          seen.set(kind, (seen.get(kind) ?? 0) + 1);
        }
      },
    ),
    parameters,
  );
  const lookups = [...seen.values()].reduce((sum, count) => sum + count, 0);
  noteFigures({ runs: parameters.numRuns, lookups });
  for (const kind of ["exact", "pattern", "wildcard", "miss", "malformed"]) {
    assert.ok((seen.get(kind) ?? 0) > 100, `${kind} occurred ${seen.get(kind)} times`);
  }
});

function kindOf(resolution: ModelResolution): string {
  if (typeof resolution === "string") return resolution;
  if (resolution.route.segments.includes("*")) return "wildcard";
  return resolution.route.segments.some((segment) => segment.startsWith(":")) ? "pattern" : "exact";
}
