#!/usr/bin/env node
// `create-tenon shop` is `tenon new shop`. Old versions of Node must be able to parse this file, so that the tool can
// report that they are too old.
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

const tool = dirname(createRequire(import.meta.url).resolve("tenon/package.json"));
const taken = takeFromNpm();
if (taken.some((flag) => flag.endsWith("=true"))) {
  process.stderr.write(
    "npm keeps flags to itself and drops their values. Write --template=web, or put -- before the flags: npm create tenon@latest shop -- --template web\n",
  );
  process.exitCode = 2;
} else {
  process.argv.splice(2, 0, "new");
  process.argv.push(...taken);
  import(pathToFileURL(join(tool, "bin/tenon.mjs")).href);
}

/**
 * The flags that npm has kept: `npm create tenon shop --template=web`, without `--`, sets npm_config_template. The
 * variables are deleted, because the npm install of the new application would warn about each.
 */
function takeFromNpm() {
  const flags = { template: "--template=", t: "--template=", name: "--name=", in: "--in=" };
  const withValue = Object.keys(flags).flatMap((name) => {
    const value = take(name);
    return value === undefined ? [] : [flags[name] + value];
  });
  // --no-install sets an empty npm_config_install
  return [...withValue, ...["install", "lint"].flatMap((name) => (take(name) === "" ? [`--no-${name}`] : []))];
}

function take(name) {
  const { env } = process;
  const value = env[`npm_config_${name}`];
  delete env[`npm_config_${name}`];
  return value;
}
