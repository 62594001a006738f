#!/usr/bin/env node
// Old versions of Node must be able to parse this file: a newer feature here would be a SyntaxError instead of the line
// that names the reason.
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const needed = 24;
const here = dirname(fileURLToPath(import.meta.url));
const built = join(here, "../dist/main.js");
/** Only a checkout has this file. Its dist may be older than its source, or missing. */
const isCheckout = existsSync(join(here, "../tsconfig.json"));
const entry = isCheckout ? ["--conditions=@tenon/source", join(here, "../src/main.ts")] : [built];

const node = majorOf(process.version) >= needed ? process.execPath : findNode(process.cwd());
if (node === undefined) {
  process.stderr.write(
    `Tenon needs Node ${needed} or newer, this is ${process.version}. ${toRemedy(process.argv.slice(2))}\n`,
  );
  process.exitCode = 1;
} else if (node === process.execPath && !isCheckout) import(pathToFileURL(built).href);
else runWith(node);

function majorOf(version) {
  return Number(/\d+/.exec(version));
}

function toRemedy([command, ...words]) {
  if (command !== "new" && command !== "app") {
    return "Install it from https://nodejs.org, or give the application one of its own: npm install --save-dev --save-exact node@26";
  }
  const quoted = words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`));
  return `Install it from https://nodejs.org, or create the application with one of its own:\n  ${["npx -y -p node@26 -p create-tenon create-tenon", ...quoted].join(" ")}`;
}

/** The Node that the application around this folder has installed; undefined when it has none that is new enough. */
function findNode(folder) {
  // a folder further up may belong to somebody else, so that its programs must not be run
  if (!existsSync(join(folder, "package.json")))
    return dirname(folder) === folder ? undefined : findNode(dirname(folder));
  const home = join(folder, "node_modules/node");
  const program = [join(home, "bin/node"), join(home, "bin/node.exe")].find((file) => existsSync(file));
  if (program === undefined) return undefined;
  return majorOf(JSON.parse(readFileSync(join(home, "package.json"), "utf8")).version) >= needed ? program : undefined;
}

/** Ends as the other process does. */
function runWith(program) {
  const child = spawn(program, [...entry, ...process.argv.slice(2)], { stdio: "inherit" });
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
  // without a listener this process would end first, and the shell would print its prompt into the output of the other
  for (const signal of signals) {
    process.on(signal, () => {
      // a terminal sends Ctrl-C to both, and a second one would end the other before it has cleaned up
      if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
    });
  }
  child.on("error", (error) => {
    process.stderr.write(`tenon: ${program} could not be run: ${error.message}\n`);
    process.exitCode = 1;
  });
  child.on("exit", (code, signal) => {
    if (signal === null) {
      process.exitCode = code;
      return;
    }
    for (const name of signals) process.removeAllListeners(name);
    process.kill(process.pid, signal);
  });
}
