import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { packAll, type Tarball } from "../../scripts/release/pack.ts";
import { type Manifest, readPackages } from "../../scripts/release/packages.ts";
import { root, runOrFail } from "./run.ts";

export interface Packed {
  /** As it is published. */
  readonly manifest: Manifest;
  readonly tarball: Tarball;
  readonly files: readonly string[];
}

/** Packs every package of a copy of the workspace, so that nothing of it changes, and installs them for a consumer. */
export async function packPackages(workspace: string, consumer: string): Promise<readonly Packed[]> {
  const packages = readPackages(root);
  const copy = (name: string) => {
    if (existsSync(join(root, name))) cpSync(join(root, name), join(workspace, name), { recursive: true });
  };
  for (const name of ["package.json", "tsconfig.base.json", "scripts/build.mjs", "docs"]) copy(name);
  for (const { folder, manifest } of packages) {
    const parts = [...manifest.files.filter((part) => part !== "dist"), "package.json", "tsconfig.json"];
    for (const part of [...parts, "README.md", "LICENSE"]) copy(join("packages", folder, part));
  }
  for (const name of readdirSync(join(root, "node_modules"))) {
    if (name !== "@tenon") link(join(root, "node_modules", name), join(workspace, "node_modules", name));
  }
  for (const { folder, manifest } of packages)
    link(join(workspace, "packages", folder), join(workspace, "node_modules", manifest.name));
  await runOrFail("npm", ["run", "build"], { cwd: workspace });
  const packed = join(workspace, "packed");
  mkdirSync(packed);
  return Promise.all((await packAll(workspace, packed)).map((tarball) => unpackOne(tarball, consumer)));
}

async function unpackOne(tarball: Tarball, consumer: string): Promise<Packed> {
  const target = join(consumer, "node_modules", tarball.name);
  mkdirSync(target, { recursive: true });
  await runOrFail("tar", ["-xzf", tarball.file, "-C", target, "--strip-components=1"]);
  const manifest = JSON.parse(readFileSync(join(target, "package.json"), "utf8")) as Manifest; // npm refuses others
  // only what a package declares can be found from its folder; npm installs peers too, unless they are optional
  const peers = Object.keys(manifest.peerDependencies ?? {}).filter(
    (name) => manifest.peerDependenciesMeta?.[name]?.optional !== true,
  );
  for (const dependency of [...Object.keys(manifest.dependencies ?? {}), ...peers]) {
    if (!dependency.startsWith("@tenon/") && dependency !== "tenon")
      link(join(root, "node_modules", dependency), join(consumer, "node_modules", dependency));
  }
  return {
    manifest,
    tarball,
    files: readdirSync(target, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(target.length + 1)),
  };
}

export function link(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  if (!existsSync(path)) symlinkSync(target, path);
}
