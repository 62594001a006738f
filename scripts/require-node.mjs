// Loaded with --import before any TypeScript: without it an old Node fails on the .ts extension instead of naming the reason.
const needed = 24;
const major = Number(process.versions.node.split(".")[0]);
if (major < needed) {
  process.stderr.write(
    `Tenon needs Node ${needed} or newer, this is ${process.version}. Run \`npm ci\`: it installs a pinned Node for the npm scripts.\n`,
  );
  process.exit(1);
}
