interface Manifest {
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly [name: string]: unknown;
}

const condition = "@tenon/source";

/** The package.json of a template for a new application. Links to a checkout are run from their source, without a build. */
export function toAppManifest(text: string, specifier: string): string {
  const manifest = parseManifest(text);
  const dependencies = { ...manifest.dependencies, "@tenon/core": specifier };
  const scripts = Object.entries(manifest.scripts ?? {}).map(([name, command]) => [
    name,
    isLink(specifier) ? command.replace(/^node /, `node --conditions=${condition} `) : command,
  ]);
  return printManifest({ ...manifest, scripts: Object.fromEntries(scripts), dependencies });
}

/** The tsconfig.json of a template for a new application: types come from where the code comes from. */
export function toAppTypes(text: string, specifier: string): string {
  const start = '"compilerOptions": {\n';
  return isLink(specifier) ? text.replace(start, `${start}    "customConditions": ["${condition}"],\n`) : text;
}

/** Undefined when the dependency is there already. A second package of the framework comes from where the first does. */
export function addDataDependency(text: string, fallback: string): string | undefined {
  const manifest = parseManifest(text);
  const { dependencies = {} } = manifest;
  if ("@tenon/data" in dependencies) return undefined;
  const core = dependencies["@tenon/core"];
  const specifier = core === undefined ? fallback : isLink(core) ? core.replace(/core$/, "data") : core;
  const all = Object.entries({ ...dependencies, "@tenon/data": specifier }).sort(([a], [b]) => (a < b ? -1 : 1));
  return printManifest({ ...manifest, dependencies: Object.fromEntries(all) });
}

function parseManifest(text: string): Manifest {
  const manifest: unknown = JSON.parse(text);
  if (typeof manifest !== "object" || manifest === null) throw new Error("package.json holds no object");
  return manifest as Manifest; // npm refuses scripts and dependencies that are no texts
}

function printManifest(manifest: Manifest): string {
  return `${JSON.stringify(manifest, undefined, 2)}\n`;
}

function isLink(specifier: string): boolean {
  return specifier.startsWith("file:");
}
