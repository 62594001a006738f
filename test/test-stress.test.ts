import assert from "node:assert/strict";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { disturbances } from "../scripts/test/disturbances.ts";
import { canFindProcesses } from "../scripts/test/processes.ts";
import { root, run, runOrFail } from "./support/run.ts";
import { temporaryFolder, writeFiles } from "./support/temporary-folder.ts";

const folder = temporaryFolder("test-stress");

/** What a run of `npm test` sees of its machine. */
interface Seen {
  readonly cwd: string;
  readonly cores: number;
  readonly umask: number;
  readonly env: Readonly<Record<string, string>>;
}

/** Runs `npm run test:stress` in a workspace whose `npm test` is this script. */
async function runStress(name: string, script: string, ...args: readonly string[]) {
  const workspace = join(folder, name);
  writeFiles(workspace, {
    "package.json": '{ "private": true, "scripts": { "test": "node tests.mjs" } }',
    "tests.mjs": `
      import { appendFileSync, readdirSync, readFileSync } from "node:fs";
      import { availableParallelism } from "node:os";
      const report = ${JSON.stringify(join(workspace, "report.jsonl"))};
      const see = (more) => appendFileSync(report, JSON.stringify({ ...more,
        cwd: process.cwd(), cores: availableParallelism(), umask: process.umask(), env: process.env }) + "\\n");
      ${script}`,
  });
  await runOrFail("git", ["init", "--quiet"], { cwd: workspace });
  await runOrFail("git", ["add", "package.json"], { cwd: workspace });
  // a shell that has set nothing of what the disturbances set
  const { NODE_ENV: _, PORT: __, TZ: ___, LANG: ____, LC_ALL: _____, ...env } = process.env as Record<string, string>;
  const options = { cwd: workspace, env: { ...env, TMPDIR: workspace }, only: true };
  const result = await run(
    process.execPath,
    ["--conditions=@tenon/source", `${root}scripts/test-stress.ts`, ...args],
    options,
  );
  const report = join(workspace, "report.jsonl");
  const lines = existsSync(report) ? readFileSync(report, "utf8").trim().split("\n") : [];
  return { ...result, workspace, seen: lines.map((line) => JSON.parse(line) as Seen) };
}

test("each run has the next disturbance, in a shell's environment, and a table ends the output", async () => {
  const { code, stdout, stderr, seen, workspace } = await runStress("each", "see();", "--only", "");
  assert.equal(code, 0, stdout + stderr);
  const names = disturbances.map(({ name }) => name);
  const rows = [...stdout.matchAll(/^\| (\d+) \| (.+?)(?: \(seed \d+\))? \| (passed|left out) \| \d+ \| .*\|$/gm)];
  assert.deepEqual(
    rows.map(([, , name]) => name),
    names,
  );
  const ran = rows.filter(([, , , result]) => result === "passed").map(([, , name = ""]) => name);
  assert.ok(ran.length >= 6 && ran.length === seen.length, stdout);
  const by = (name: string) => seen[ran.indexOf(name)];
  if (ran.includes("one core")) assert.equal(by("one core")?.cores, 1);
  const differs = (name: string, variables: readonly string[]) => {
    const [quiet, disturbed] = [by("two busy loops")?.env, by(name)?.env];
    for (const variable of variables) assert.notEqual(disturbed?.[variable], quiet?.[variable], `${name}: ${variable}`);
  };
  differs("another time zone", ["TZ"]);
  differs("LANG=C", ["LANG", "LC_ALL"]);
  differs("NODE_ENV=production", ["NODE_ENV"]);
  differs("PORT set", ["PORT"]);
  differs("no services", ["TEST_POSTGRES_URL", "TEST_REDIS_URL", "CHROMIUM"]);
  differs("umask 077, no home, Turkish", ["HOME", "LC_ALL"]);
  assert.equal(by("umask 077, no home, Turkish")?.umask, 0o077);
  assert.match(by("a folder with a space and an accent")?.cwd ?? "", / .*é/);
  assert.ok(!existsSync(by("a folder with a space and an accent")?.cwd ?? ""), "the copy is removed");
  for (const name of ran.filter((one) => !one.includes("folder"))) assert.equal(by(name)?.cwd, realpathSync(workspace));
  assert.match(stdout, /\n\d+ of 10 passed, 0 failed, \d+ left out\n$/);
});

test("a failed run shows the names of its failures, keeps its output and ends with code 1; the other runs go on", async () => {
  const script = `
    if (process.env.NODE_ENV === "production") {
      console.log("✖ one › fails a.test.ts:1:1\\n\\n✖ failing tests:\\n\\na.test.ts:1:1\\n✖ one › fails\\n  AssertionError: no\\n  ✖ failing tests:\\n\\n✖ another one");
      process.exitCode = 1;
    }`;
  const { code, stdout } = await runStress("fails", script, "3", "--only", "=");
  assert.equal(code, 1, stdout);
  assert.match(
    stdout,
    /^✔ 1 of 3, LANG=C: passed, \d+ s\n✖ 2 of 3, NODE_ENV=production: failed, \d+ s: one › fails; another one\n/,
  );
  assert.match(stdout, /^✔ 3 of 3, LANG=C: passed/m);
  assert.match(stdout, /^\| 2 \| NODE_ENV=production \| failed \| \d+ \| one › fails; another one \|$/m);
  const [, file = ""] = /its output: (.+)/.exec(stdout) ?? [];
  assert.match(readFileSync(file, "utf8"), /AssertionError: no/);
});

test("a run that takes too long fails, and the processes that it has left are ended", {
  skip: !canFindProcesses,
}, async () => {
  const script = `
    const { spawn } = await import("node:child_process");
    const forever = ["--eval", "setInterval(() => {}, 1000)"];
    const { pid } = spawn(process.execPath, forever, { stdio: "inherit" });
    see({ pid });
    setInterval(() => {}, 1000);`;
  const { code, stdout, seen } = await runStress("late", script, "--only", "LANG", "--minutes", "0.1");
  assert.equal(code, 1, stdout);
  assert.match(stdout, /^✖ 1 of 1, LANG=C: failed, \d+ s: longer than 0\.1 minutes$/m);
  const { pid } = seen[0] as Seen & { readonly pid: number };
  const isThere = () => existsSync(`/proc/${pid}`);
  for (const end = Date.now() + 30_000; isThere() && Date.now() < end; ) await sleep(50); // the system removes it later
  assert.ok(!isThere());
});

test("pauses stop processes of the run for a time, and print their seed", { skip: !canFindProcesses }, async () => {
  // npm and a shell are its parents; it ends when it has seen one of them stopped, and then running again
  const script = `
    const field = (pid, index) => { const stat = readFileSync("/proc/" + pid + "/stat", "utf8");
      return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[index]; };
    const parents = [process.ppid, Number(field(process.ppid, 1))];
    const until = async (condition) => { while (!condition()) await new Promise((resolve) => setTimeout(resolve, 10)); };
    let stopped;
    await until(() => (stopped = parents.find((pid) => field(pid, 0) === "T")) !== undefined);
    await until(() => field(stopped, 0) !== "T");
    see({ stopped });`;
  const { code, stdout, seen } = await runStress("pauses", script, "--only", "pauses", "--seed", "7", "--minutes", "3");
  assert.equal(code, 0, stdout);
  assert.match(stdout, /^✔ 1 of 1, pauses \(seed 7\): passed/m);
  assert.equal(seen.length, 1);
});

test("a wrong option ends with code 2", async () => {
  for (const args of [["0"], ["--only", "nothing"], ["1", "2"], ["--minutes", "x"]]) {
    assert.equal((await runStress("wrong", "see();", ...args)).code, 2, args.join(" "));
  }
});
