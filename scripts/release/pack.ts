import { execFile } from "node:child_process";
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { type Package, readPackages } from "./packages.ts";
import { settings as ownSettings, type ReleaseSettings } from "./settings.ts";

/** A line of the output of npm pack. */
interface PackOutput {
  readonly name: string;
  readonly filename: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

export interface Tarball {
  readonly name: string;
  readonly version: string;
  /** The path of the file. */
  readonly file: string;
  /** In bytes, as it is downloaded. */
  readonly size: number;
  /** In bytes, as it is installed. */
  readonly unpackedSize: number;
  readonly files: readonly string[];
}

/** The package on which all others depend. It contains the docs, for people and assistants without a browser. */
const core = "@tenon/core";

/** Packs the built packages of a workspace into a folder, in the order of their dependencies. */
export async function packAll(
  root: string,
  target: string,
  settings: ReleaseSettings = ownSettings,
): Promise<Tarball[]> {
  const packages = readPackages(root);
  const folders = packages.map((one) => stage(root, one, join(target, "stage", one.folder), settings));
  const { stdout } = await promisify(execFile)(
    "npm",
    ["pack", "--ignore-scripts", "--json", "--pack-destination", target, ...folders],
    { cwd: target, shell: process.platform === "win32", maxBuffer: 64 * 1024 * 1024 },
  );
  const outputs = Object.values(JSON.parse(stdout) as Record<string, PackOutput>); // an array, or an object in newer versions
  return packages.map(({ manifest: { name, version } }) => {
    const output = outputs.find((one) => one.name === name);
    if (output === undefined) throw new Error(`npm pack did not pack ${name}`);
    const { size, unpackedSize } = output;
    const files = output.files.map(({ path }) => path).sort();
    return {
      name,
      version,
      file: join(target, output.filename.replace(/^@/, "").replace("/", "-")),
      size,
      unpackedSize,
      files,
    };
  });
}

/** Copies the files that npm packs to a folder, with the manifest and the README that are published. */
function stage(root: string, { folder, manifest }: Package, target: string, settings: ReleaseSettings): string {
  const source = join(root, "packages", folder);
  mkdirSync(target, { recursive: true });
  for (const name of [...manifest.files.filter((entry) => !entry.startsWith("!")), "LICENSE"]) {
    if (!existsSync(join(source, name))) throw new Error(`${manifest.name} has no ${name}: run npm run build`);
    cpSync(join(source, name), join(target, name), { recursive: true });
  }
  const isDocumented = manifest.name === core;
  if (isDocumented) {
    for (const page of globSync("docs/**/*.md", { cwd: root, exclude: ["docs/api/**"] })) {
      mkdirSync(join(target, dirname(page)), { recursive: true });
      writeFileSync(join(target, page), withoutOuterLinks(page, readFileSync(join(root, page), "utf8")));
    }
  }
  const files = isDocumented ? [...manifest.files, "docs"] : manifest.files;
  const published = toPublished({ folder, manifest: { ...manifest, files } }, settings);
  writeFileSync(join(target, "package.json"), `${JSON.stringify(published, undefined, 2)}\n`);
  const readme = readFileSync(join(source, "README.md"), "utf8");
  writeFileSync(
    join(target, "README.md"),
    readme.replaceAll("](../../docs/", `](${linkToDocs(manifest.name, settings)}`),
  );
  return target;
}

/** A page whose links to files that are not packaged, such as images and sources, are their text only. */
function withoutOuterLinks(page: string, text: string): string {
  return text.replaceAll(
    /!?\[([^\]]*)\]\((?!https?:|#|mailto:)([^)#\s]+)[^)]*\)/g,
    (link, label: string, target: string) =>
      /^(docs\/.*\.md|README\.md)$/.test(join(dirname(page), target).replaceAll("\\", "/")) ? link : label,
  );
}

/** The manifest that is published. */
export function toPublished({ folder, manifest }: Package, settings: ReleaseSettings): Package["manifest"] {
  const { repository, engines, access, provenance } = settings;
  return {
    ...manifest,
    ...(manifest.name === core ? { engines } : {}),
    ...(repository === undefined
      ? {}
      : { repository: { type: "git", url: repository, directory: `packages/${folder}` } }),
    publishConfig: { access, provenance },
  };
}

/** Without a place on the web, the docs in node_modules. */
function linkToDocs(name: string, { documentation }: ReleaseSettings): string {
  if (documentation !== undefined) return documentation;
  if (name === core) return "docs/";
  return name.startsWith("@tenon/") ? "../core/docs/" : `../${core}/docs/`;
}
