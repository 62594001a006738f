// Runs a file of this workspace on the packages' sources: node scripts/run.mjs <file> [arguments]
// Plain JavaScript for any Node that can run npm: an old one would fail on the .ts extension without naming the reason.
import { spawnSync } from "node:child_process";

const needed = 24;
const major = Number(process.versions.node.split(".")[0]);
if (major < needed) {
  process.stderr.write(
    `Tenon needs Node ${needed} or newer, this is ${process.version}. Run \`npm ci\`: it installs a pinned Node for the npm scripts.\n`,
  );
  process.exit(1);
}
const args = ["--conditions=@tenon/source", ...process.argv.slice(2)];
if (process.platform !== "win32") {
  process.execve(process.execPath, [process.execPath, ...args], process.env); // one process: signals reach the program itself
}
const { status } = spawnSync(process.execPath, args, { stdio: "inherit" });
process.exit(status ?? 1);
