import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { mock, test } from "node:test";
import { runChild } from "../reliability/child.ts";
import { generateFaults, isOfDatabase, kinds } from "../reliability/cluster/faults.ts";
import { Figures } from "../reliability/part.ts";
import { loadPart, loadParts, planned } from "../reliability/parts.ts";
import { toReport, toTable } from "../reliability/report.ts";
import { readAckOrder } from "../reliability/support/ack-order.ts";
import { root } from "./support/run.ts";
import { temporaryFolder, writeFiles } from "./support/temporary-folder.ts";

test("every line of the plan has a part", async () => {
  const parts = await loadParts();
  const ids = parts.map(({ id }) => id);
  assert.deepEqual(ids, planned);
  for (const part of parts) {
    assert.ok(part.title !== "" && part.bar !== "", part.id);
    assert.equal(await loadPart(part.id), part, "its file begins with its id");
  }
});

test("a figure that misses its bar fails its part and shows by how much", () => {
  assert.deepEqual(new Figures().show("runs", 3).atMost("p99 ms", 4.56789, 5).exactly("lost", 0, 0).done(), {
    figures: { runs: 3, "p99 ms": 4.57, lost: 0 },
    ok: true,
  });
  const missed = new Figures().atMost("p99 ms", 5.1, 5).atLeast("cases", 3, 4).exactly("lost", 1, 0).done();
  assert.deepEqual(missed, {
    figures: { "p99 ms": 5.1, cases: 3, lost: 1 },
    ok: false,
    note: "p99 ms 5.1 is over 5; cases 3 is under 4; lost 1 is not 0",
  });
  assert.equal(new Figures().atMost("p99 ms", Number.NaN, 5).done().ok, false, "what was not measured is not met");
  assert.deepEqual(new Figures().inTime("p99 ms", 6, 5).inTime("s", 1, 2).done(), {
    figures: { "p99 ms": 6, s: 1 },
    ok: true,
    isLate: true,
    note: "p99 ms 6 is over 5",
  });
  assert.equal(new Figures().inTime("p99 ms", Number.NaN, 5).done().isLate, true);
});

test("figures over time are printed below the others", () => {
  const table = { columns: ["minute", "posts"], rows: [["1.0", 1234]] };
  const result = new Figures().show("errors", 0).table(table).done();
  assert.deepEqual(result, { figures: { errors: 0 }, ok: true, table });
  const part = { id: "L5", title: "soak", bar: "0 errors", needs: [], run: async () => result };
  const lines = toTable([{ part, state: "met", seconds: 1, ...result }]).split("\n");
  assert.deepEqual(
    lines.slice(-3).map((line) => line.trim()),
    ["| minute | posts |", "|---|---|", "| 1.0 | 1,234 |"],
  );
});

test("a report keeps the rows of parts that did not run, and sums up each area", async () => {
  const part = (id: string) => ({ id, title: "t", bar: "b | c", needs: [], run: async () => new Figures().done() });
  const [crash, trace, job] = [part("D1"), part("D2"), part("BG1")];
  const run = { short: false, parts: [part("W1"), crash, trace, job] };
  const lost = { part: crash, state: "missed" as const, seconds: 2, figures: { lost: 1 }, note: "lost 1 is not 0" };
  const table = { columns: ["kill of", "seconds"], rows: [["a worker", 1.5]] };
  const first = await toReport(
    [
      { part: job, state: "met", seconds: 3, figures: { lost: 0 }, table },
      lost,
      { part: trace, state: "met", seconds: 1, figures: {} },
    ],
    { ...run, before: "" },
  );
  const rows = [...first.matchAll(/^\| (?:W1|D1|BG1) \|.*$/gm)].map(([row]) => row);
  assert.deepEqual(
    rows.map((row) => row.replace(/, [0-9a-f]+ \|$/, ", HEAD |")),
    [
      "| W1 | t | b \\| c | | not yet run in full form | | |",
      "| D1 | t | b \\| c | lost 1 (lost 1 is not 0) | missed | 2 s | full, HEAD |",
      "| BG1 | t | b \\| c | lost 0 | met | 3 s | full, HEAD |",
    ],
  );
  assert.match(first, /^\| HTTP on the wire \| 0 of 1 \| W1 not yet run in full form \|$/m);
  assert.match(first, /^\| Crashes and outages of stores \| 1 of 2 \| D1: lost 1 is not 0 \|$/m);
  assert.match(first, /^\| Background jobs \| 1 of 1 \| \|$/m);
  assert.match(first, /\n\n## BG1: t\n\n\| kill of \| seconds \|\n\|---\|---\|\n\| a worker \| 1.5 \|\n$/);

  const fixed = { part: crash, state: "met" as const, seconds: 2, figures: { lost: 0 } };
  const second = await toReport([fixed], { ...run, before: first });
  const expected = first
    .replace("lost 1 (lost 1 is not 0) | missed", "lost 0 | met")
    .replace("1 of 2 | D1: lost 1 is not 0 |", "2 of 2 | |");
  assert.equal(second, expected);
});

test("a trace shows a response that is sent before its write is on the disk", () => {
  const write = '7 pwrite64(22</data/blog.db-wal>, "\\0"..., 4096, 0) = 4096';
  const sync = "7 fdatasync(22</data/blog.db-wal>) = 0";
  const reply = '7 write(29<socket:[1]>, "HTTP/1.1 201 Created"..., 99) = 99';
  assert.deepEqual(readAckOrder([write, sync, reply].join("\n")), { replies: 1, syncs: 1, early: 0 });
  assert.deepEqual(readAckOrder([write, reply, sync].join("\n")), { replies: 1, syncs: 1, early: 1 });
  assert.deepEqual(readAckOrder([write, sync, write, reply].join("\n")), { replies: 1, syncs: 1, early: 1 });
  const failed = sync.replace("= 0", "= -1 EIO (Input/output error)");
  assert.deepEqual(readAckOrder([write, failed, reply].join("\n")), { replies: 1, syncs: 0, early: 1 });
  const halves = [
    "7 fsync(22</data/blog.db-wal> <unfinished ...>",
    '8 write(1<pipe:[2]>, "x", 1) = 1',
    "7 <... fsync resumed>) = 0",
  ];
  assert.deepEqual(readAckOrder([write, ...halves, reply].join("\n")), { replies: 1, syncs: 1, early: 0 });
  assert.deepEqual(readAckOrder([write, halves[0], reply, halves[2]].join("\n")), { replies: 1, syncs: 1, early: 1 });
  const checkpoint = ["9 fdatasync(23</data/blog.db-wal> <unfinished ...>", "9 <... fdatasync resumed>) = 0"];
  assert.deepEqual(
    readAckOrder([checkpoint[0], write, checkpoint[1], reply].join("\n")),
    { replies: 1, syncs: 1, early: 1 },
    "a sync of another thread that began before the write does not count",
  );
});

test("a seed gives the same faults again, and at most one of the database at a time", () => {
  for (let seed = 1; seed <= 50; seed++) {
    const rounds = generateFaults(seed, "full");
    assert.deepEqual(generateFaults(seed, "full"), rounds);
    assert.equal(new Set(rounds.flat().map(({ kind }) => kind)).size, kinds.length);
    assert.ok(rounds.flat().length >= 60);
    for (const round of rounds) assert.ok(round.filter(isOfDatabase).length <= 1, JSON.stringify(round));
    const short = generateFaults(seed, "short").flat();
    assert.equal(new Set(short.map(({ kind }) => kind)).size, 6);
    assert.ok(short.some(({ kind }) => kind.startsWith("failover")));
    const withRedis = generateFaults(seed, "redis").flat();
    assert.equal(new Set(withRedis.map(({ kind }) => kind)).size, kinds.length + 1);
  }
  assert.notDeepEqual(generateFaults(1, "full"), generateFaults(2, "full"));
});

/** The result of a part that says "ready" and goes on, and whose time limit then passes. */
async function cutWhenReady(name: string, script: string) {
  const folder = join(parts, name);
  writeFiles(folder, { "part.ts": script, "pg1/data": "a large database" });
  mock.timers.enable({ apis: ["setTimeout"] });
  try {
    const limit = 5 * 60_000;
    const result = await runChild([join(folder, "part.ts"), folder], {
      limit,
      onProgress: (text) => mock.timers.tick(text === "ready" ? limit : 60_000),
    });
    return { folder, result };
  } finally {
    mock.timers.reset();
  }
}
const parts = temporaryFolder("reliability");
const goOn = 'setInterval(() => {}, 1000); process.send({ progress: "ready" });';

test("a cluster that is cut at its time limit keeps its history, and says where", async () => {
  const { folder, result } = await cutWhenReady(
    "cluster",
    `import { History } from ${JSON.stringify(join(root, "reliability/cluster/history.ts"))};
    import { keepFilesOnError } from ${JSON.stringify(join(root, "reliability/cluster/keep-files.ts"))};
    const folder = process.argv[2] ?? "";
    new History(folder + "/history.jsonl").note("register", "users", { user: "a" });
    const run = keepFilesOnError(folder, new Promise(() => {}));
    ${goOn}
    await run;`,
  );
  assert.equal(result.ok, false);
  assert.match(
    result.note ?? "",
    /^it took longer than 300 s: [\s\S]*history and logs: .*-failed\n[\s\S]*cut at its time limit/,
  );
  assert.ok((result.note ?? "").includes(`history and logs: ${folder}-failed`));
  assert.match(readFileSync(`${folder}-failed/history.jsonl`, "utf8"), /^\{"op":"register",.*\}\n$/);
  assert.ok(!existsSync(`${folder}-failed/pg1`), "the data of the servers are too large to keep");
});

test("a part without files to keep ends at its time limit, and one that does not end a minute later", async () => {
  const busy = await cutWhenReady("busy", goOn);
  assert.equal(busy.result.note, "it took longer than 300 s: ");
  const stuck = await cutWhenReady(
    "stuck",
    `process.on("SIGTERM", () => process.send({ progress: "it goes on" })); ${goOn}`,
  );
  assert.equal(stuck.result.note, "it took longer than 300 s: ");
});
