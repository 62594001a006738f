import { globSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

type Versions = Readonly<Record<string, string>>;

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly files: readonly string[];
  readonly exports: Readonly<Record<string, string | Versions>>;
  readonly dependencies?: Versions;
  readonly peerDependencies?: Versions;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
  readonly [field: string]: unknown;
}

export interface Package {
  /** The name of its folder below `packages`. */
  readonly folder: string;
  readonly manifest: Manifest;
}

/** The packages of the workspace, each after those that it depends on. */
export function readPackages(root: string): Package[] {
  const waiting = globSync("packages/*/package.json", { cwd: root })
    .sort()
    .map((file) => ({ folder: basename(dirname(file)), manifest: readJson(join(root, file)) as Manifest })); // a test checks the fields
  const sorted: Package[] = [];
  const isReady = ({ manifest }: Package) =>
    Object.keys(manifest.dependencies ?? {}).every((name) => !waiting.some((other) => other.manifest.name === name));
  while (waiting.length > 0) {
    const next = waiting.findIndex(isReady);
    if (next === -1) throw new Error(`${waiting.map(({ manifest }) => manifest.name).join(", ")} depend on each other`);
    sorted.push(...waiting.splice(next, 1));
  }
  return sorted;
}

/** The version of all packages. Throws when they differ. */
export function commonVersion(packages: readonly Package[]): string {
  const versions = new Set(packages.map(({ manifest }) => manifest.version));
  const [version = ""] = versions;
  if (versions.size > 1)
    throw new Error(
      `the packages have the versions ${[...versions].join(", ")}: run npm run release -- --set-version=${version}`,
    );
  return version;
}

/** Sets the version of every package, of the dependencies between them, and of those of the templates. Returns the changed files. */
export function setVersion(root: string, version: string): string[] {
  if (!/^\d+\.\d+\.\d+(?:-[0-9a-z.-]+)?$/.test(version)) throw new Error(`${version} is not a version such as 0.2.0`);
  const names = new Set(readPackages(root).map(({ manifest }) => manifest.name));
  const files = globSync(
    ["package-lock.json", "{packages,apps}/*/package.json", "packages/tool/templates/*/package.json"],
    {
      cwd: root,
    },
  );
  return files.sort().filter((file) => {
    const before = readFileSync(join(root, file), "utf8");
    const content: unknown = JSON.parse(before);
    const manifests = file === "package-lock.json" ? Object.values(Object(Object(content).packages)) : [content];
    for (const manifest of manifests) updateVersions(Object(manifest), names, version);
    const after = `${JSON.stringify(content, undefined, 2)}\n`;
    if (after !== before) writeFileSync(join(root, file), after);
    return after !== before;
  });
}

function updateVersions(manifest: Record<string, unknown>, names: ReadonlySet<string>, version: string): void {
  // without a version it is a template, an application, or a link of the lock file
  if (typeof manifest.name === "string" && names.has(manifest.name) && manifest.version !== undefined)
    manifest.version = version;
  for (const kind of ["dependencies", "devDependencies"]) {
    const versions: Record<string, string> = Object(manifest[kind]);
    for (const [name, range] of Object.entries(versions)) {
      if (names.has(name)) versions[name] = range.startsWith("^") ? `^${version}` : version;
    }
  }
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, "utf8"));
}
