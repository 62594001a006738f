import { join } from "node:path";
import fc from "fast-check";
import { register } from "../../apps/reference/scripts/support/reference-app.ts";
import { percentile } from "../../apps/reference/scripts/support/statistics.ts";
import { hostileBody, hostileValue } from "../../packages/core/test/support/hostile-bodies.ts";
import { Random } from "../../packages/core/test/support/random.ts";
import { withFolder } from "../../packages/data/test/support/services.ts";
import { Figures, type Part } from "../part.ts";
import { Caller, jsonOf } from "../support/caller.ts";
import type { Memory } from "../support/probe.ts";
import { withService } from "../support/service.ts";

interface BodyRoute {
  readonly method: string;
  readonly path: string;
  readonly fields: readonly string[];
  /** The statuses that the specification allows. */
  readonly statuses: readonly number[];
  /** Without a valid password, so that the time is that of binding and not of hashing. */
  readonly hashes?: boolean;
}

const routes: readonly BodyRoute[] = [
  { method: "POST", path: "/auth/register", fields: ["email", "name"], statuses: [400, 413], hashes: true },
  { method: "POST", path: "/auth/login", fields: ["email"], statuses: [400, 413], hashes: true },
  { method: "POST", path: "/auth/token", fields: ["email"], statuses: [400, 413], hashes: true },
  { method: "POST", path: "/auth/session", fields: ["email"], statuses: [400, 413], hashes: true },
  { method: "POST", path: "/auth/logout", fields: ["refresh_token"], statuses: [200] },
  { method: "POST", path: "/auth/refresh", fields: ["refresh_token"], statuses: [400, 401, 413] },
  { method: "POST", path: "/auth/api-keys", fields: ["name", "expires_at"], statuses: [201, 400, 413] },
  { method: "POST", path: "/posts", fields: ["title", "content"], statuses: [201, 400] },
  { method: "PUT", path: "/posts/:id", fields: ["title", "content", "published"], statuses: [200, 400] },
  { method: "PATCH", path: "/posts/:id", fields: ["title", "content", "published"], statuses: [200, 400] },
];

export const part: Part = {
  id: "F1",
  title: "hostile JSON, ill-formed text and depth bombs on every route with a body",
  bar: "20,000 requests on each: only documented statuses, 0 5xx, no prototype changes, p99 < 20 ms",
  needs: [],
  alone: true,
  async run(options) {
    const { seed } = new Random(options.seed);
    const each = options.short ? 1500 : 20_000; // with fewer requests, the slowest percent would be those before the code is compiled
    return withFolder((folder) =>
      withService({ env: { DATABASE_URL: `sqlite:${join(folder, "blog.db")}` } }, async (server) => {
        const user = { email: "ada@example.com", password: "correct horse", name: "Ada" };
        const token = await register(server.url, user);
        const caller = new Caller(server.url);
        const post = await caller.call("POST", "/posts", { json: { title: "t", content: "c" }, token });
        const { id } = jsonOf<{ id: string }>(post);
        const undocumented: string[] = [];
        const statuses = new Map<number, number>();
        const times: number[] = [];
        for (const route of routes) {
          const path = route.path.replace(":id", id);
          const bodies = bodiesFor(route, Math.min(each, 4000), seed);
          let next = 0;
          const work = async () => {
            while (next < each) {
              const body = bodies[next++ % bodies.length] ?? "";
              const { status, text, time } = await caller.call(route.method, path, { body, token });
              times.push(time);
              statuses.set(status, (statuses.get(status) ?? 0) + 1);
              if (!route.statuses.includes(status))
                undocumented.push(`${route.method} ${route.path}: ${status} ${text}`);
            }
          };
          await Promise.all(Array.from({ length: 4 }, work));
          options.say(`${route.method} ${route.path}: ${each} requests`);
        }
        const polluted = await server.ask<boolean>("polluted");
        const { unhandled } = await server.ask<Memory>("memory");
        caller.close();
        const figures = new Figures()
          .show("seed", String(seed))
          .show("routes", routes.length)
          .show("requests", times.length)
          .show(
            "statuses",
            [...statuses]
              .sort(([a], [b]) => a - b)
              .map(([status, count]) => `${count} × ${status}`)
              .join(", "),
          )
          .exactly("undocumented", undocumented.length, 0)
          .exactly("prototypes changed", polluted ? 1 : 0, 0)
          .exactly("unhandled", unhandled, 0)
          .inTime("p99 ms", percentile(times, 0.99), 20);
        if (undocumented[0] !== undefined) figures.note(undocumented[0]);
        return figures.done();
      }),
    );
  },
};

function bodiesFor({ fields, hashes = false }: BodyRoute, count: number, seed: number): (string | Uint8Array)[] {
  const password = fc.constantFrom(null, 0, "", [], {}, "\0", "\ud800", ["correct horse"]);
  const known = fc.record(
    { ...Object.fromEntries(fields.map((field) => [field, hostileValue])), ...(hashes ? { password } : {}) },
    { noNullPrototype: true },
  );
  const depth = fc.integer({ min: 1, max: 200_000 }).map((levels) => `{"${fields[0]}":${"[".repeat(levels)}`);
  const polluting = fc.constantFrom(
    '{"__proto__":{"polluted":true}}',
    '{"constructor":{"prototype":{"polluted":true}}}',
    `{"${fields[0]}":{"__proto__":{"polluted":true}}}`,
  );
  const body = fc.oneof(
    { arbitrary: hostileBody, weight: 8 },
    { arbitrary: known.map((value) => JSON.stringify(value)), weight: 8 },
    { arbitrary: polluting, weight: 1 },
    { arbitrary: depth, weight: 1 },
  );
  return fc.sample(body, { numRuns: count, seed });
}
