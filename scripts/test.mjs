// The test runner: node:test over every workspace, straight from the source.
//   --full      the long form of the property and load tests
//   --coverage  line and branch coverage of the packages, with its gate
//   anything else is a file, or part of a test file's path
import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";

const args = process.argv.slice(2);
const flags = new Set(args.filter((arg) => arg.startsWith("--")));
const wanted = args.filter((arg) => !arg.startsWith("--"));
const unknown = [...flags].filter((flag) => flag !== "--full" && flag !== "--coverage");
if (unknown.length > 0) {
  console.error(`unknown option ${unknown.join(" ")}; options: --full --coverage, then parts of file names`);
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
const result = spawnSync(
  process.execPath,
  [
    "--conditions=@tenon/source",
    "--test",
    "--test-isolation=none",
    ...(flags.has("--coverage") ? coverage : []),
    ...files,
  ],
  { stdio: "inherit", env: { ...process.env, ...(flags.has("--full") ? { TENON_FULL: "1" } : {}) } },
);
process.exit(result.status ?? 1);
