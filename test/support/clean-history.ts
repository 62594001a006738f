import type { Line, Outcome, Values } from "../../reliability/cluster/history.ts";

type Entry = readonly [op: string, values: Values, outcome?: Outcome];

/** A history of three instances in which all holds, with enough of everything. Each line takes ten milliseconds. */
export function createCleanHistory(stores: "postgres" | "redis" = "postgres"): Line[] {
  return toLines([
    ["start", { stores, instances: 3, seed: 1 }],
    ...writes(),
    ...races(),
    ...sessions(),
    ...jobs(),
    ...live(),
  ]);
}

function toLines(entries: readonly Entry[]): Line[] {
  return entries.map(([op, values, outcome = "ok"], index) => {
    const invoked = 1_000_000 + 100 * index;
    return { op, client: "test", invoked, ended: invoked + 10, outcome, values };
  });
}

function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

function writes(): Entry[] {
  return [
    ...times<Entry>(6, (n) => ["register", { user: `u${n}` }]),
    ["register", { user: "lost answer" }, "unknown"],
    ...times<Entry>(12, (n) => ["create post", { post: `p${n}`, title: "one" }]),
    ...times<Entry>(6, (n) => ["update post", { post: `p${n}`, title: "two" }]),
    ["update post", { post: "p6", title: "in doubt" }, "unknown"],
    ...times<Entry>(4, (n) => ["delete post", { post: `p${8 + n}` }]),
    ...times<Entry>(8, (n) => ["create key", { key: `k${n}` }]),
    ...times<Entry>(4, (n) => ["revoke key", { key: `k${4 + n}` }]),
    ...times<Entry>(6, (n) => ["read user", { user: `u${n}`, found: true }]),
    ["read user", { user: "lost answer", found: false }],
    ...times<Entry>(6, (n) => ["read post", { post: `p${n}`, title: "two" }]),
    ["read post", { post: "p6", title: "in doubt" }],
    ["read post", { post: "p7", title: "one" }],
    ...times<Entry>(4, (n) => ["read post", { post: `p${8 + n}`, title: null }]),
    ...times<Entry>(8, (n) => ["read key", { key: `k${n}`, found: n < 4 }]),
  ];
}

function races(): Entry[] {
  const raced = (kind: string) =>
    times<Entry[]>(4, (n) => [
      ["use token", { kind, token: `${kind}${n}` }, n === 3 ? "unknown" : "ok"],
      ["use token", { kind, token: `${kind}${n}` }, "failed"],
      ["use token", { kind, token: `${kind}${n}` }, "failed"],
    ]).flat();
  return [
    ...raced("refresh"),
    ...raced("ticket"),
    ...times<Entry[]>(4, (n) => [
      ["enqueue", { item: `key${n}-first`, key: `key${n}`, job: 500 + n, created: true }],
      ["enqueue", { item: `key${n}-second`, key: `key${n}`, job: 500 + n, created: false }],
    ]).flat(),
    ...times<Entry>(23, () => ["guess", { account: "a", limit: 20 }]),
    ["guess", { account: "a", limit: 20 }, "failed"],
  ];
}

function sessions(): Entry[] {
  const usedOnAll = (session: string, outcome: Outcome) =>
    times<Entry>(3, (instance) => ["use session", { session, instance }, outcome]);
  return [
    ...times<Entry[]>(4, (n) => [
      ["open session", { session: `day${n}`, seconds: 86_400 }],
      ...usedOnAll(`day${n}`, "ok"),
      ["end session", { session: `day${n}` }],
      ...usedOnAll(`day${n}`, "failed"),
    ]).flat(),
    ...times<Entry[]>(4, (n) => [
      ["open session", { session: `short${n}`, seconds: 1 }],
      ...usedOnAll(`short${n}`, "ok"),
      ...times<Entry>(20, () => ["fault", { kind: "time passes" }]),
      ...usedOnAll(`short${n}`, "failed"),
    ]).flat(),
  ];
}

function jobs(): Entry[] {
  return [
    ...times<Entry>(24, (n) => ["enqueue", { item: `i${n}`, job: n }]),
    ...times<Entry>(6, (n) => ["roll back", { item: `r${n}` }]),
    ...times<Entry>(6, (n) => ["schedule", { last: 50_000 + 4000 * n, jobs: 4 * n, period: 1000 }]),
    ...times<Entry[]>(24, (n) => [
      ["item", { item: `i${n}`, job: n }],
      ["job", { job: n, name: "work" }],
      ["run", { job: n, item: `i${n}` }],
    ]).flat(),
    ...times<Entry[]>(4, (n) => [
      ["item", { item: `key${n}-first`, job: 500 + n }],
      ["item", { item: `key${n}-second`, job: 500 + n }],
      ["job", { job: 500 + n, name: "work" }],
      ["run", { job: 500 + n, item: `key${n}-first` }],
    ]).flat(),
  ];
}

/** The second subscriber is cut off in the middle and misses the tenth event, which a reset tells. */
function live(): Entry[] {
  const subscribers = ["x", "y"];
  return [
    ...subscribers.map((subscriber): Entry => ["subscribe", { subscriber, connection: 1 }]),
    ...times<Entry[]>(32, (n) => [
      ["publish", { lane: "a", number: n }],
      ...(n === 9 ? ([["subscribe", { subscriber: "y", connection: 2 }]] satisfies Entry[]) : []),
      ...subscribers.map((subscriber): Entry => {
        const connection = subscriber === "y" && n >= 9 ? 2 : 1;
        if (subscriber === "y" && n === 9) return ["reset", { subscriber, connection }];
        return ["event", { subscriber, connection, lane: "a", number: n }];
      }),
    ]).flat(),
  ];
}
