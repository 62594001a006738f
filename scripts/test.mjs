// The test runner: node:test over every workspace, straight from the source.
//   --full      the long form of the property and load tests
//   --coverage  line and branch coverage of the packages, with its gate
//   --name=X    only the tests whose name matches the regular expression X
//   anything else is a file, or part of a test file's path
import { spawn } from "node:child_process";
import { globSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const args = process.argv.slice(2);
const flags = new Set(args.filter((arg) => arg.startsWith("--")));
const wanted = args.filter((arg) => !arg.startsWith("--"));
const isName = (flag) => flag.startsWith("--name=");
const unknown = [...flags].filter((flag) => flag !== "--full" && flag !== "--coverage" && !isName(flag));
if (unknown.length > 0) {
  console.error(`unknown option ${unknown.join(" ")}; options: --full --coverage --name=X, then parts of file names`);
  process.exit(2);
}

const files = globSync(["packages/*/test/**/*.test.ts", "apps/*/test/**/*.test.ts", "test/**/*.test.ts"])
  .filter((file) => wanted.length === 0 || wanted.some((part) => file.includes(part)))
  .sort();
if (files.length === 0) {
  console.error(`no test file matches ${wanted.join(" ")}`);
  process.exit(2);
}

const coverage = [
  "--experimental-test-coverage",
  "--test-coverage-include=packages/*/src/**/*.ts",
  "--test-coverage-lines=95",
  "--test-coverage-branches=95",
];
const env = { ...process.env, ...(flags.has("--full") ? { TENON_FULL: "1" } : {}) };
// the tests start hundreds of processes, which find their code compiled; coverage would be less exact with it
if (!flags.has("--coverage")) env.NODE_COMPILE_CACHE ??= resolve("node_modules", ".cache", "compile");

function run(options, part, stdio) {
  const names = [...flags].filter(isName).map((flag) => flag.replace("--name", "--test-name-pattern"));
  const setup = ["--conditions=@tenon/source", "--import", "./scripts/short-connections.mjs", "--test"];
  const child = spawn(process.execPath, [...setup, ...options, ...names, ...part], {
    stdio: ["ignore", stdio, stdio],
    env,
  });
  return child;
}

/** Ends with the exit code; what the child says is kept for later unless it says it itself. */
function finish(child) {
  const said = [];
  child.stdout?.on("data", (chunk) => said.push(chunk));
  child.stderr?.on("data", (chunk) => said.push(chunk));
  return new Promise((resolve) => {
    child.once("close", (code) => resolve({ code: code ?? 1, text: Buffer.concat(said) }));
  });
}

// several processes, because the tests wait more than they compute
const groups = [
  /^packages.core/,
  /^(?:packages.data|apps.reference.test.(?:browser|pages))/,
  /^apps/,
  /^/, // what is left: authentication, the tool, and the workspace itself
];
const groupOf = (file) => groups.findIndex((group) => group.test(file));
const parts = Object.values(Object.groupBy(files, groupOf));

/** Each as one process of its own, told of by one: only that one knows what all of them together have covered. */
function runForCoverage() {
  const folder = mkdtempSync(join(tmpdir(), "tenon-coverage-"));
  process.once("exit", () => rmSync(folder, { recursive: true }));
  const lists = parts.map((part, index) => {
    const list = join(folder, `${index}.mjs`);
    writeFileSync(list, part.map((file) => `import ${JSON.stringify(pathToFileURL(file).href)};\n`).join(""));
    return list;
  });
  return run([...coverage, `--test-concurrency=${parts.length}`], lists, "inherit");
}

const children = flags.has("--coverage")
  ? [runForCoverage()]
  : parts.map((part, index) => run(["--test-isolation=none"], part, index === 0 ? "inherit" : "pipe"));
let exitCode = 0;
for (const result of children.map(finish)) {
  const { code, text } = await result;
  process.stdout.write(text);
  exitCode = Math.max(exitCode, code);
}
process.exitCode = exitCode;
