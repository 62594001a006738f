import { HttpError } from "@tenon/core";
import { checkoutCheck, isOwn, type Origin, toSpecifier } from "./origin.ts";

type Versions = Readonly<Record<string, string>>;

interface Manifest {
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Versions;
  readonly devDependencies?: Versions;
  readonly [name: string]: unknown;
}

/** Node resolves the packages to their source under this condition. */
export const sourceCondition = "@tenon/source";

/** The package.json of a new application. Packages linked from a checkout run from their source, without a build. */
export function toAppManifest(text: string, origin: Origin): string {
  const manifest = parseManifest(text);
  const flags = `node --import ./${checkoutCheck} --conditions=${sourceCondition} `;
  const scripts = Object.entries(manifest.scripts ?? {}).map(([name, command]) => [
    name,
    origin.checkout === undefined ? command : command.replace(/^node /, flags),
  ]);
  return printManifest({
    ...manifest,
    scripts: Object.fromEntries(scripts),
    dependencies: withOwnVersions(manifest.dependencies, origin),
    devDependencies: withOwnVersions(manifest.devDependencies, origin),
  });
}

function withOwnVersions(versions: Versions = {}, origin: Origin): Versions {
  const entries = Object.entries(versions);
  return Object.fromEntries(
    entries.map(([name, version]) => [name, isOwn(name) ? toSpecifier(origin, name) : version]),
  );
}

/** The tsconfig.json of a new application: the types come from the same place as the code. */
export function toAppTsconfig(text: string, { checkout }: Origin): string {
  const start = '"compilerOptions": {\n';
  return checkout === undefined
    ? text
    : text.replace(start, `${start}    "customConditions": ["${sourceCondition}"],\n`);
}

/** Adds `@tenon/data` from the same place as `@tenon/core`. Undefined when the dependency exists already. */
export function addDataDependency(text: string, origin: Origin): string | undefined {
  const manifest = parseManifest(text);
  const { dependencies = {} } = manifest;
  if ("@tenon/data" in dependencies) return undefined;
  const core = dependencies["@tenon/core"];
  const specifier = core === undefined ? toSpecifier(origin, "@tenon/data") : core.replace(/^(file:.*)core$/, "$1data");
  const all = Object.entries({ ...dependencies, "@tenon/data": specifier }).sort(([a], [b]) => (a < b ? -1 : 1));
  return printManifest({ ...manifest, dependencies: Object.fromEntries(all) });
}

function parseManifest(text: string): Manifest {
  let manifest: unknown;
  try {
    manifest = JSON.parse(text);
  } catch {
    manifest = undefined;
  }
  if (typeof manifest !== "object" || manifest === null) {
    throw new HttpError(409, "package.json is not a JSON object: nothing was changed");
  }
  return manifest as Manifest; // npm accepts only strings in scripts and dependencies
}

function printManifest(manifest: Manifest): string {
  return `${JSON.stringify(manifest, undefined, 2)}\n`;
}
