import { HttpError } from "@tenon/core";
import { replaceOnly } from "../replace-only.ts";
import { ownNodeVersion } from "./machine-node.ts";
import { checkoutCheck, isOwn, type Origin, scope, toSpecifier } from "./origin.ts";

type Versions = Readonly<Record<string, string>>;

interface Manifest {
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Versions;
  readonly devDependencies?: Versions;
  readonly [name: string]: unknown;
}

/** Node resolves the packages to their source under this condition. */
export const sourceCondition = "@tenon/source";

/** What a new application has, besides the code of its template. */
export interface AppParts {
  /** Biome, its settings and its scripts. */
  readonly lint: boolean;
  /** A Node from npm, instead of the one of the machine. */
  readonly ownNode: boolean;
}

/** The package.json of a new application. Packages linked from a checkout run from their source, without a build. */
export function toAppManifest(text: string, origin: Origin, { lint, ownNode }: AppParts): string {
  const read = parseManifest(text);
  const linted = lint ? read : withoutLint(read);
  const manifest = ownNode ? withOwnNode(linted) : linted;
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

function withoutLint(manifest: Manifest): Manifest {
  const { lint: _, format: __, check = "", ...scripts } = manifest.scripts ?? {};
  const { "@biomejs/biome": ___, ...devDependencies } = manifest.devDependencies ?? {};
  return {
    ...manifest,
    scripts: { ...scripts, check: replaceOnly(check, "npm run lint && ", "") },
    devDependencies,
  };
}

/** Without engines: npm compares them with the Node that it runs on, which is the older one. */
function withOwnNode({ engines: _, ...manifest }: Manifest): Manifest {
  const packages = Object.entries({ ...manifest.devDependencies, node: ownNodeVersion });
  return {
    ...manifest,
    devDependencies: Object.fromEntries(packages.sort(([a], [b]) => (a < b ? -1 : 1))),
    allowScripts: { ...Object(manifest.allowScripts), node: true }, // npm runs its install script only when it is allowed
  };
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
  if (checkout === undefined) return text;
  return replaceOnly(text, start, `${start}    "customConditions": ["${sourceCondition}"],\n`);
}

/**
 * Adds packages of the framework from the same place as `@tenon/core`, those in `dev` for tests only. Undefined when all
 * are there already.
 */
export function addDependencies(
  text: string,
  origin: Origin,
  names: readonly string[],
  dev: readonly string[] = [],
): string | undefined {
  const manifest = parseManifest(text);
  const { dependencies = {}, devDependencies = {} } = manifest;
  const missing = names.filter((name) => !(`${scope}${name}` in dependencies));
  const missingDev = dev.filter((name) => !(`${scope}${name}` in { ...dependencies, ...devDependencies }));
  if (missing.length === 0 && missingDev.length === 0) return undefined;
  const core = dependencies["@tenon/core"];
  const add = (versions: Versions, added: readonly string[]): Versions => {
    const entries = added.map((name): [string, string] => [
      `${scope}${name}`,
      core === undefined ? toSpecifier(origin, `${scope}${name}`) : toSibling(core, name),
    ]);
    return Object.fromEntries([...Object.entries(versions), ...entries].sort(([a], [b]) => (a < b ? -1 : 1)));
  };
  // npm runs the install script of bcrypt only when it is allowed
  const scripts = missing.includes("auth") ? { allowScripts: { ...Object(manifest.allowScripts), bcrypt: true } } : {};
  return printManifest({
    ...manifest,
    dependencies: add(dependencies, missing),
    ...(missingDev.length === 0 ? {} : { devDependencies: add(devDependencies, missingDev) }),
    ...scripts,
  });
}

/** The specifier of another package of the framework: the same version, or the folder next to that of `@tenon/core`. */
function toSibling(core: string, name: string): string {
  if (!core.includes("/")) return core;
  const [, parent] = /^((?:file|link):(?:.*\/)?)core\/?$/.exec(core) ?? [];
  if (parent !== undefined) return `${parent}${name}`;
  throw new HttpError(
    409,
    `package.json has @tenon/core from ${core}, which does not tell where ${scope}${name} is: add ${scope}${name} to the dependencies, then run this again. Nothing was changed`,
  );
}

export function parseManifest(text: string): Manifest {
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
