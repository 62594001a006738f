import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { withFolder } from "../packages/data/test/support/services.ts";
import { type ClusterPart, checkHistory } from "../reliability/cluster/check.ts";
import { History, type Line, type Outcome, type Values } from "../reliability/cluster/history.ts";
import { createCleanHistory } from "./support/clean-history.ts";

function check(lines: readonly Line[]): Promise<ReturnType<typeof checkHistory>> {
  return withFolder(async (folder) => {
    const history = new History(join(folder, "history"));
    for (const line of lines) history.write(line);
    history.close();
    return checkHistory(history.file);
  });
}

/** The lines with some of them changed: those of this operation with these values. */
function change(op: string, values: Values, to: { readonly outcome?: Outcome; readonly values?: Values }) {
  return (lines: readonly Line[]): Line[] => {
    const isMeant = (line: Line) =>
      line.op === op && Object.entries(values).every(([name, value]) => line.values[name] === value);
    assert.ok(lines.some(isMeant), `${op} ${JSON.stringify(values)} is in the clean history`);
    return lines.map((line) => (isMeant(line) ? { ...line, ...to, values: { ...line.values, ...to.values } } : line));
  };
}

function remove(op: string, values: Values) {
  return (lines: readonly Line[]): Line[] =>
    change(op, values, { values: { removed: true } })(lines).filter((line) => line.values.removed !== true);
}

/** Adds a line at the end, a minute later. */
function add(op: string, values: Values, outcome: Outcome = "ok") {
  return (lines: readonly Line[]): Line[] => {
    const invoked = (lines.at(-1)?.ended ?? 0) + 60_000;
    return [...lines, { op, client: "test", invoked, ended: invoked, outcome, values }];
  };
}

const extraGuess = add("guess", { account: "a", limit: 20 });

const planted: readonly [
  part: ClusterPart,
  what: string,
  plant: (lines: readonly Line[]) => readonly Line[],
  finding: RegExp,
][] = [
  [
    "CL1",
    "an acknowledged user is gone",
    change("read user", { user: "u3" }, { values: { found: false } }),
    /u3 is not/,
  ],
  ["CL1", "a user was never read back", remove("read user", { user: "u3" }), /u3 was not read back/],
  [
    "CL1",
    "an acknowledged post is gone",
    change("read post", { post: "p7" }, { values: { title: null } }),
    /p7 is not/,
  ],
  [
    "CL1",
    "an acknowledged update is undone",
    change("read post", { post: "p2" }, { values: { title: "one" } }),
    /p2 has/,
  ],
  [
    "CL1",
    "a deleted post is back",
    change("read post", { post: "p9" }, { values: { title: "one" } }),
    /p9 has another/,
  ],
  ["CL1", "a key is gone", change("read key", { key: "k1" }, { values: { found: false } }), /k1 is not there/],
  [
    "CL1",
    "a revoked key is valid",
    change("read key", { key: "k5" }, { values: { found: true } }),
    /k5 is valid although/,
  ],
  [
    "CL2",
    "a refresh token is accepted twice",
    add("use token", { kind: "refresh", token: "refresh1" }),
    /refresh1 was accepted 2/,
  ],
  [
    "CL2",
    "a ticket is accepted twice",
    add("use token", { kind: "ticket", token: "ticket2" }),
    /ticket2 was accepted 2/,
  ],
  [
    "CL2",
    "a ticket is refused to all",
    change("use token", { token: "ticket0" }, { outcome: "failed" }),
    /ticket0 was refused to all 3/,
  ],
  [
    "CL2",
    "a key has two jobs",
    change("enqueue", { item: "key1-second" }, { values: { job: 77 } }),
    /key1 has the jobs 501, 77/,
  ],
  ["CL2", "a second job of a key ran", add("run", { job: 78, item: "key2-second" }), /key2 has the jobs 502, 78/],
  [
    "CL2",
    "a key is created twice",
    change("enqueue", { item: "key0-second" }, { values: { created: true } }),
    /key0 was created 2/,
  ],
  [
    "CL2",
    "a key is created by none",
    change("enqueue", { item: "key0-first" }, { values: { created: false } }),
    /key0 was created by none/,
  ],
  ["CL2", "a limit is exceeded by more than the instances", extraGuess, /a: 24 guesses were compared/],
  [
    "CL3",
    "an ended session is accepted",
    add("use session", { session: "day1", instance: 2 }),
    /day1 on instance 2, 1 times/,
  ],
  [
    "CL3",
    "an expired session is accepted",
    add("use session", { session: "short1", instance: 0 }),
    /short1 on instance 0/,
  ],
  [
    "CL3",
    "an ended session was never asked again",
    change("use session", { session: "day0" }, { outcome: "unknown" }),
    /never asked again: day0/,
  ],
  [
    "CL3",
    "a valid session is refused",
    change("use session", { session: "day2", instance: 1 }, { outcome: "failed" }),
    /refused: day2/,
  ],
  ["CL4", "an acknowledged row is gone", remove("item", { item: "i5" }), /committed rows lost: i5/],
  ["CL4", "a row has another job", change("item", { item: "i5" }, { values: { job: 6 } }), /i5 has another job/],
  ["CL4", "the job of a row never ran", remove("run", { job: 7 }), /jobs of committed rows that never ran: 7 of i7/],
  ["CL4", "a tick never ran", add("job", { job: 900, name: "tick" }), /jobs that never ran: tick 900/],
  ["CL4", "a rolled back row is there", add("item", { item: "r2", job: 1 }), /rolled back rows that are there: r2/],
  [
    "CL4",
    "the job of a rolled back row ran",
    add("run", { job: 901, item: "r3" }),
    /without a committed row: 901 of r3/,
  ],
  ["CL4", "a tick is doubled", change("schedule", { jobs: 20 }, { values: { jobs: 21 } }), /5 jobs for 4 ticks/],
  ["CL4", "a tick is missing", change("schedule", { jobs: 20 }, { values: { jobs: 19 } }), /only 3 jobs for 4 ticks/],
  ["CL5", "an event is missing", remove("event", { subscriber: "x", number: 20 }), /missing: a:20 at x/],
  ["CL5", "the last event is missing", remove("event", { subscriber: "y", number: 31 }), /missing: a:31 at y/],
  [
    "CL5",
    "an event is missing far from a reset",
    remove("event", { subscriber: "y", number: 11 }),
    /missing: a:11 at y/,
  ],
  ["CL5", "a reset is missing", remove("reset", {}), /missing: a:9 at y/],
  [
    "CL5",
    "an event is repeated",
    add("event", { subscriber: "x", connection: 1, lane: "a", number: 31 }),
    /repeated: a:31 at x/,
  ],
  [
    "CL5",
    "an event is late",
    (lines) =>
      add("event", { subscriber: "x", connection: 1, lane: "a", number: 4 })(
        remove("event", { subscriber: "x", number: 4 })(lines),
      ),
    /out of order: a:4 after a:31 at x/,
  ],
];

test("a history in which all holds has no findings", async () => {
  for (const stores of ["postgres", "redis"] as const) {
    for (const [part, { findings }] of Object.entries(await check(createCleanHistory(stores)))) {
      assert.deepEqual(findings, [], `${part} on ${stores}`);
    }
  }
});

test("each planted violation is found, in its part", async (t) => {
  for (const [part, what, plant, expected] of planted) {
    await t.test(`${part}: ${what}`, async () => {
      const { findings } = (await check(plant(createCleanHistory())))[part];
      assert.ok(
        findings.some((finding) => expected.test(finding)),
        findings.join("\n") || "nothing was found",
      );
    });
  }
});

test("an outcome that is unknown may be either", async () => {
  const doubts = [
    change("read post", { post: "p6" }, { values: { title: "one" } }),
    change("read user", { user: "lost answer" }, { values: { found: true } }),
    add("publish", { lane: "a", number: 32 }, "unknown"),
    add("guess", { account: "a", limit: 20 }, "unknown"),
    add("enqueue", { item: "in doubt" }, "unknown"),
    add("roll back", { item: "r9" }, "unknown"),
  ];
  const lines = doubts.reduce((all: readonly Line[], doubt) => doubt(all), createCleanHistory());
  for (const [part, { findings }] of Object.entries(await check(lines))) assert.deepEqual(findings, [], part);
});

test("ticks may be missing only after more than a minute", async () => {
  const late = (last: number) => add("schedule", { last, jobs: 21, period: 1000 });
  assert.equal((await check(late(70_000 + 61_000)(createCleanHistory()))).CL4.findings.length, 0);
  assert.match(
    (await check(late(70_000 + 59_000)(createCleanHistory()))).CL4.findings.join(),
    /only 1 jobs for 59 ticks/,
  );
});

test("a Redis that restarts may forget sessions, tokens and limits, and brings nothing back", async () => {
  const forgotten = [
    change("use session", { session: "day2", instance: 1 }, { outcome: "failed" }),
    change("use token", { token: "ticket0" }, { outcome: "failed" }),
    add("fault", { kind: "redis restart" }),
    extraGuess,
  ];
  const lines = forgotten.reduce((all: readonly Line[], plant) => plant(all), createCleanHistory("redis"));
  for (const [part, { findings }] of Object.entries(await check(lines))) assert.deepEqual(findings, [], part);
  const back = add("use session", { session: "day1", instance: 2 })(lines);
  assert.match((await check(back)).CL3.findings.join(), /day1 on instance 2/);
});

test("every part misses its bar in a history with too few operations", async () => {
  for (const [part, { findings }] of Object.entries(await check(createCleanHistory().slice(0, 1)))) {
    assert.ok(findings.length > 0 && findings.every((finding) => finding.startsWith("too few")), part);
  }
});

test("a history that ends in the middle of a line is not judged", async () => {
  await withFolder(async (folder) => {
    const file = join(folder, "history");
    writeFileSync(file, `${JSON.stringify(createCleanHistory()[0])}\n{"op":"regis`);
    assert.throws(() => checkHistory(file), /whole line/);
    writeFileSync(file, `{"op":"register"}\n`);
    assert.throws(() => checkHistory(file), /not a line/);
  });
});
