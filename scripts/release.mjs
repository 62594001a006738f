// Publishes the packages of the workspace, in the order of their dependencies.
//   --dry-run          builds, packs and checks them, and prints what would be published
//   --rehearse=<url>   publishes to a registry on this machine instead, from any tree and without provenance
//   --out=<folder>     keeps the packed files there
//   --set-version=X    sets the common version everywhere, and does nothing else
// Exit code 1: a check failed, or npm did. Exit code 2: an unknown option.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { findObstacles } from "./release/obstacles.ts";
import { packAll } from "./release/pack.ts";
import { commonVersion, readPackages, setVersion } from "./release/packages.ts";
import { settings } from "./release/settings.ts";

const root = fileURLToPath(new URL("../", import.meta.url));

function readOptions() {
  const text = { type: "string" };
  try {
    return parseArgs({
      options: { "dry-run": { type: "boolean" }, rehearse: text, out: text, "set-version": text },
    }).values;
  } catch (error) {
    console.error(`${error.message}. Options: --dry-run --rehearse=<url> --out=<folder> --set-version=X`);
    process.exit(2);
  }
}

function run(command, args, stdio = "inherit") {
  const options = { cwd: root, encoding: "utf8", stdio, shell: process.platform === "win32" };
  const { status, stdout, error } = spawnSync(command, args, options);
  if (status !== 0)
    throw new Error(`${command} ${args.join(" ")} failed${error === undefined ? "" : `: ${error.message}`}`);
  return stdout;
}

function describe({ name, version, size, unpackedSize, files }) {
  const groups = Object.entries(Object.groupBy(files, (file) => (file.includes("/") ? file.split("/")[0] : file)));
  const parts = groups.map(([group, inside]) => (inside[0] === group ? group : `${group} (${inside.length})`));
  const kilobytes = (bytes) => `${Math.ceil(bytes / 1000)} kB`;
  return `${name} ${version}: ${files.length} files, ${kilobytes(size)} packed, ${kilobytes(unpackedSize)} installed\n  ${parts.join(", ")}`;
}

/** A version that is published already is left out, so that a release that stopped half-way can be repeated. */
function publish({ name, version, file }, { rehearse }) {
  const registry = rehearse === undefined ? [] : ["--registry", rehearse];
  const known = spawnSync("npm", ["view", `${name}@${version}`, "version", ...registry], {
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  if (known.status === 0 && known.stdout.trim() === version) {
    console.log(`${name} ${version} is published already`);
    return;
  }
  const tag = version.includes("-") ? ["--tag", "next"] : [];
  const provenance = rehearse === undefined ? [] : ["--provenance=false"];
  run("npm", ["publish", file, ...registry, ...provenance, ...tag]);
}

/** A rehearsal skips the checks of the tree, so that it must not reach a registry that others use. */
function isLocal(url) {
  return ["127.0.0.1", "localhost", "[::1]"].includes(URL.parse(url)?.hostname);
}

async function release(options) {
  const version = commonVersion(readPackages(root));
  if (options.rehearse !== undefined && !isLocal(options.rehearse))
    throw new Error(`--rehearse takes the URL of a registry on this machine, not ${options.rehearse}`);
  const isReal = options["dry-run"] !== true && options.rehearse === undefined;
  const obstacles = isReal ? findObstacles(settings, run("git", ["status", "--porcelain"], "pipe")) : [];
  if (obstacles.length > 0) throw new Error(`${version} cannot be published:\n${obstacles.join("\n")}`);
  run("npm", ["run", "build", "--silent"]);
  const target = options.out === undefined ? mkdtempSync(join(tmpdir(), "tenon-release-")) : resolve(options.out);
  mkdirSync(target, { recursive: true });
  try {
    const tarballs = await packAll(root, target);
    const { check } = await import("./release/check.ts"); // slow to load, and not needed for --set-version
    const problems = (await Promise.all(tarballs.map(check))).flat();
    if (problems.length > 0) throw new Error(problems.join("\n"));
    for (const tarball of tarballs) console.log(describe(tarball));
    if (options["dry-run"] === true)
      console.log(`\n${tarballs.length} packages pass every check. Nothing was published.`);
    else for (const tarball of tarballs) publish(tarball, options);
  } finally {
    rmSync(options.out === undefined ? target : join(target, "stage"), { recursive: true, force: true });
  }
}

const options = readOptions();
try {
  if (options["set-version"] === undefined) await release(options);
  else {
    const changed = setVersion(root, options["set-version"]);
    console.log(changed.length === 0 ? "Every package has this version already." : changed.join("\n"));
  }
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
