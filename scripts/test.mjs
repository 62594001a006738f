// The test runner: node:test over every workspace, straight from the source.
//   --smoke        only what can differ on another version of Node: scripts/test/smoke-tests.ts lists it
//   --long         only the long test files, which are left out otherwise: scripts/test/long-tests.ts lists them
//   --full         the long form of the property and load tests, in all files
//   --coverage     line and branch coverage of the packages, with its gate; with the long files of all packages but the tool
//   --uncovered    with --long: only those that --coverage leaves out
//   --name=X       only the tests whose name matches the regular expression X
//   --deadline=X   seconds within which a process must start or end a test; defaults to 300, with --full to 1800
//   anything else is a file, or part of a test file's path; long files that it names run, too
// Exit code 1: a test failed, or a process of tests crashed. Exit code 2: nothing to run.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { judgeCoverage } from "./test/coverage.mjs";
import { isLong } from "./test/long-tests.ts";
import { Group, Report } from "./test/report.mjs";
import { withoutApplication } from "./test/shell.ts";
import { isSmoke } from "./test/smoke-tests.ts";

function refuse(reason) {
  console.error(reason);
  process.exit(2);
}

const args = process.argv.slice(2);
const wanted = args.filter((arg) => !arg.startsWith("--"));
const flags = new Map(args.filter((arg) => arg.startsWith("--")).map((arg) => arg.split(/=(.*)/s, 2)));
const options = ["--smoke", "--long", "--full", "--coverage", "--uncovered", "--name", "--deadline"];
const unknown = [...flags.keys()].filter((flag) => !options.includes(flag));
if (unknown.length > 0) {
  refuse(
    `unknown option ${unknown.join(" ")}; options: --smoke --long --full --coverage --uncovered --name=X --deadline=X, then parts of file names`,
  );
}
const name = flags.get("--name");
const deadline = Number(flags.get("--deadline") ?? (flags.has("--full") ? 1800 : 300)) * 1000;
if (!(deadline > 0)) refuse(`--deadline takes seconds, not ${flags.get("--deadline")}`);

const isPart = wanted.length > 0 || name !== undefined;
const found = globSync(["packages/*/test/**/*.test.ts", "apps/*/test/**/*.test.ts", "test/**/*.test.ts"])
  .filter((file) => wanted.length === 0 || wanted.some((part) => file.includes(part)))
  .sort();
// long files, too: processes that they start cover what nothing else does
const isCovered = (file) => !isLong(file) || /^packages.(?!tool)/.test(file);
const isDue = (file) => {
  if (flags.has("--smoke")) return isSmoke(file);
  if (flags.has("--long")) return isLong(file) && !(flags.has("--uncovered") && isCovered(file));
  return isPart || flags.has("--full") || (flags.has("--coverage") ? isCovered(file) : !isLong(file));
};
const files = found.filter(isDue);
if (files.length === 0) refuse(`no ${flags.has("--long") ? "long " : ""}test file matches ${wanted.join(" ")}`);

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const env = { ...withoutApplication(process.env), ...(flags.has("--full") ? { TENON_FULL: "1" } : {}) };
// the tests start hundreds of processes, which find their code compiled; coverage would be less exact with it
if (!flags.has("--coverage")) env.NODE_COMPILE_CACHE ??= here("../node_modules/.cache/compile");
const setup = [
  "--conditions=@tenon/source",
  ...["--import", pathToFileURL(here("short-connections.mjs")).href],
  ...["--test", "--test-reporter", pathToFileURL(here("test/events.mjs")).href],
  ...(name === undefined ? [] : [`--test-name-pattern=${name}`]),
];

const report = new Report(isPart);
if (!flags.has("--long") && !flags.has("--smoke") && files.length < found.length) {
  report.leaveOut(`left out: ${found.length - files.length} long test files (npm run test:long)`);
}
const children = new Set();
process.once("exit", () => {
  for (const child of children) child.kill();
});
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));

/** Runs one process of tests until it exits. */
async function run(title, files, args, judge = () => {}) {
  const group = new Group(title, files, report);
  const child = spawn(process.execPath, [...setup, ...args], {
    stdio: ["ignore", "pipe", "pipe", "pipe"],
    env,
  });
  children.add(child);
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => group.say(text));
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    child.kill("SIGTERM");
    setTimeout(() => child.kill("SIGKILL"), 5000).unref(); // an endless loop handles no other signal
  }, deadline);
  let unfinished = "";
  const events = child.stdio[3].setEncoding("utf8").on("data", (text) => {
    timer.refresh();
    const lines = `${unfinished}${text}`.split("\n"); // readline would also split at U+2028, which a name may have
    unfinished = lines.pop();
    for (const line of lines) group.take(JSON.parse(line));
  });
  const [[code, signal]] = await Promise.all([once(child, "exit"), once(events, "close")]);
  clearTimeout(timer);
  // a process that a test has started and left may hold the streams
  if (!child.stdout.closed || !child.stderr.closed) await Promise.race([once(child, "close"), wait(1000)]);
  children.delete(child);

  const ended = `the process ended with ${signal ?? `exit code ${code}`}`;
  if (isLate) group.fail(`no test began or ended for ${deadline / 1000} s`, group.position);
  else if (group.counts === undefined) group.fail(`${ended} before its tests did`, group.position);
  else if (code !== 0 && (group.failures === 0 || group.notes.length > 0)) group.fail(ended, group.notes);
  judge(group);
  group.close();
}

// The tests of a group share a process, because starting one and loading the packages costs more than most tests. The
// groups take about as long as each other: those whose tests mostly wait have more of them.
const short = [
  ["packages/core on sockets", /^packages.core.test.(?:http|advisories)/],
  ["packages/jobs and packages/live", /^packages.(?:jobs|live)/],
  ["packages/core and packages/data", /^packages.(?:core|data)/],
  ["apps", /^apps/],
  ["packages/tool, pages, mails and devtools", /^packages.(?:tool|web|mail|devtools)/],
  ["authentication and the rest", /^/],
];
const long = [
  ["packages/tool, generated applications and what reads them", /^packages.tool.test.(?:generate|inspect|client)/],
  ["packages/tool, builds and processes", /^packages.tool.test.(?:b|c|d)/],
  ["packages/tool", /^packages.tool/],
  ["the workspace", /^test/],
  ["apps", /^apps/],
  ["packages", /^/],
];
const groups = flags.has("--long") ? long : short;
const groupOf = (file) => groups.findIndex(([, pattern]) => pattern.test(file));
const parts = Object.entries(Object.groupBy(files, groupOf)).map(([index, part]) => [groups[index][0], part]);

/** Only one process knows what all of them together have covered. */
async function runForCoverage() {
  const folder = mkdtempSync(join(tmpdir(), "tenon-coverage-"));
  const lists = parts.map(([, part], index) => {
    const list = join(folder, `${index}.mjs`);
    const imports = part.map((file) => `await import(${JSON.stringify(pathToFileURL(file).href)});\n`);
    writeFileSync(list, imports.join(""));
    return list;
  });
  const coverage = [
    "--experimental-test-coverage",
    "--test-coverage-include=packages/*/src/**/*.ts",
    `--test-concurrency=${parts.length}`,
  ];
  await run("all tests", files, [...coverage, ...lists], (group) => {
    if (group.coverage === undefined) return;
    // a part of the tests is not judged, but for those of core
    const gate = wanted.join() === "packages/core/" ? "core" : isPart ? "none" : "all";
    const { text, problems } = judgeCoverage(group.coverage, gate);
    report.coverage = text;
    if (problems.length > 0) group.fail("the coverage is not good enough", problems);
  });
  rmSync(folder, { recursive: true });
}

/** All groups at once: they wait more than they compute. Three of the long ones, whose processes would wait too long. */
async function runInGroups() {
  const alone = ["--import", pathToFileURL(here("test/hooks.mjs")).href, "--test-isolation=none"];
  const next = parts.values();
  const runNext = async () => {
    for (const [title, part] of next) await run(title, part, [...alone, ...part.map((file) => resolve(file))]);
  };
  await Promise.all(Array.from({ length: flags.has("--long") ? 3 : groups.length }, runNext));
}

await (flags.has("--coverage") ? runForCoverage() : runInGroups());
report.close();
if (report.hasFailed) process.exitCode = 1;
else if (report.totals.tests === 0 && name !== undefined) refuse(`no test matches --name=${name}`);
