import { cpSync, existsSync, globSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { root, runOrFail } from "./run.ts";

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** The output of npm pack. */
interface Tarball {
  readonly name: string;
  readonly filename: string;
}

export interface Packed {
  readonly manifest: Manifest;
  readonly files: readonly string[];
}

const parts = ["package.json", "tsconfig.json", "README.md", "LICENSE", "src", "templates"];

/** Packs every package of a copy of the workspace, so that nothing of it changes, and installs them for a consumer. */
export async function packPackages(workspace: string, consumer: string): Promise<readonly Packed[]> {
  const packages = globSync("packages/*/package.json", { cwd: root }).map(dirname).sort();
  const copy = (name: string) => {
    if (existsSync(join(root, name))) cpSync(join(root, name), join(workspace, name), { recursive: true });
  };
  for (const name of ["package.json", "tsconfig.base.json", "scripts/build.mjs"]) copy(name);
  for (const name of packages) for (const part of parts) copy(join(name, part));
  for (const name of readdirSync(join(root, "node_modules"))) {
    if (name !== "@tenon") link(join(root, "node_modules", name), join(workspace, "node_modules", name));
  }
  for (const name of packages) link(join(workspace, name), join(workspace, "node_modules", manifestOf(name).name));
  await runOrFail("npm", ["run", "build"], { cwd: workspace });
  // all at once: starting npm takes longer than the work
  const chosen = packages.map((name) => `--workspace=${name}`);
  const said = await runOrFail("npm", ["pack", "--ignore-scripts", "--json", ...chosen], { cwd: workspace });
  const tarballs = new Map(Object.values(JSON.parse(said) as Tarball[]).map(({ name, filename }) => [name, filename]));
  return Promise.all(
    packages.map((name) => unpackOne(name, join(workspace, tarballs.get(manifestOf(name).name) ?? ""), consumer)),
  );
}

async function unpackOne(name: string, tarball: string, consumer: string): Promise<Packed> {
  const manifest = manifestOf(name);
  const target = join(consumer, "node_modules", manifest.name);
  mkdirSync(target, { recursive: true });
  await runOrFail("tar", ["-xzf", tarball, "-C", target, "--strip-components=1"]);
  // only what a package declares can be found from its folder
  for (const dependency of Object.keys(manifest.dependencies ?? {})) {
    if (!dependency.startsWith("@tenon/"))
      link(join(root, "node_modules", dependency), join(consumer, "node_modules", dependency));
  }
  return {
    manifest,
    files: readdirSync(target, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(target.length + 1)),
  };
}

function manifestOf(name: string): Manifest {
  return JSON.parse(readFileSync(join(root, name, "package.json"), "utf8")) as Manifest; // npm refuses others
}

export function link(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  if (!existsSync(path)) symlinkSync(target, path);
}
