import assert from "node:assert/strict";
import { cpSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { plannedByNpm, root, run } from "./support/run.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

/** Starts with a Node that claims to be another version, as the npm scripts do. */
function startAs(version: string) {
  const fake = `data:text/javascript,${encodeURIComponent(`
    Object.defineProperty(process, "versions", { value: { ...process.versions, node: "${version}" } });
    Object.defineProperty(process, "version", { value: "v${version}" });
  `)}`;
  const args = ["--import", fake, "scripts/run.mjs", "--eval", "process.stdout.write('started')"];
  return run(process.execPath, args);
}

test("a start on an older Node prints one line and exits with code 1", async () => {
  for (const version of ["20.20.2", "23.11.0"]) {
    assert.deepEqual(await startAs(version), {
      code: 1,
      stdout: "",
      stderr: `Tenon needs Node 24 or newer, this is v${version}. Run \`npm ci\`: it installs a pinned Node for the npm scripts.\n`,
    });
  }
});

test("a start on a supported Node prints nothing", async () => {
  for (const version of ["24.0.0", "26.10.0", "100.0.0"]) {
    assert.deepEqual(await startAs(version), { code: 0, stdout: "started", stderr: "" });
  }
});

interface Manifest {
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: unknown;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}
const readManifest = (path: string) => JSON.parse(readFileSync(`${root}${path}`, "utf8")) as Manifest; // npm refuses others

test("every npm script that runs TypeScript checks the version first", () => {
  for (const name of ["start", "test", "test:full", "coverage"]) {
    assert.match(readManifest("package.json").scripts[name] ?? "", /^node scripts\/run\.mjs /, name);
  }
});

test("npm ci installs the pinned Node with NODE_ENV=production in the shell", async () => {
  const workspace = temporaryFolder("node-version");
  const manifests = globSync("{packages,apps}/*/package.json", { cwd: root });
  for (const file of ["package.json", "package-lock.json", ".npmrc", ...manifests]) {
    cpSync(join(root, file), join(workspace, file));
  }
  const installed = await plannedByNpm(["ci"], workspace, { NODE_ENV: "production" });
  assert.deepEqual(
    ["node", "typescript"].filter((name) => !installed.includes(name)),
    [],
  );
});

test("npm ci prints no warnings about engines on Node 20", () => {
  const { packages } = JSON.parse(readFileSync(`${root}package-lock.json`, "utf8")) as {
    readonly packages: Readonly<Record<string, { readonly optional?: boolean; readonly engines?: { node?: string } }>>;
  }; // npm writes it
  const admitsNode20 = (part: string) => {
    const [, operator, major] = /^\s*([^\d\s]*)\s*(\d+)/.exec(part) ?? ["", ">=", "0"];
    return operator?.startsWith(">") ? Number(major) <= 20 : operator?.startsWith("<") || Number(major) === 20;
  };
  const newer = Object.entries(packages)
    .filter(([, { optional, engines }]) => optional !== true && !(engines?.node ?? "*").split("||").some(admitsNode20))
    .map(([name]) => name);
  // npm compares them with the Node that installs, although the pinned one runs everything
  assert.deepEqual(newer, [], "delete the engines of these packages from package-lock.json");
});

test("core has two runtime dependencies, pino and its own server, which has none", () => {
  const [core, server] = ["core", "server"].map((name) => readManifest(`packages/${name}/package.json`));
  assert.deepEqual(Object.keys(core?.dependencies ?? {}), ["@tenon/server", "pino"]);
  assert.deepEqual(
    [core?.optionalDependencies, server?.dependencies, server?.optionalDependencies],
    [undefined, undefined, undefined],
  );
});

test("only @tenon/web and the tool depend on Eta", () => {
  for (const path of globSync("packages/*/package.json", { cwd: root })) {
    const { dependencies = {}, peerDependencies = {} } = readManifest(path);
    const names = Object.keys({ ...dependencies, ...peerDependencies });
    assert.equal(names.includes("eta"), /\/(?:web|tool)\//.test(path), path);
  }
});
