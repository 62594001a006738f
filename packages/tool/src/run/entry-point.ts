import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { HttpError } from "@tenon/core";
import { readManifest } from "../files.ts";
import { sourceCondition } from "../scaffold/manifest.ts";

/** How an application is started. */
export interface EntryPoint {
  /** Relative to the folder of the application. */
  readonly file: string;
  /** The flags of node: conditions, hooks, environment files. */
  readonly flags: readonly string[];
}

/** The first of them that exists describes an application with several entry points. */
const usualFiles = ["src/main.api.ts", "src/main.ts", "src/main.web.ts", "src/main.cli.ts"];
/** Runs jobs of the same modules: it is checked, but describes nothing else. */
const workerFile = "src/main.worker.ts";
/** Flags of node whose value is the next word. */
const flagsWithValue = new Set(["--import", "--require", "-r", "--conditions", "-C", "--loader", "--env-file"]);
/** A process that is watched never ends, and one that is debugged may wait. */
const unwantedFlags = /^--(?:watch|inspect)/;

/** Those of the usual files that exist, or else the file that `npm start` runs. */
export function listEntryPoints(folder: string): string[] {
  const usual = [...usualFiles, workerFile].filter((file) => existsSync(join(folder, file)));
  const [start] = readScripts(folder);
  return usual.length > 0 || start === undefined ? usual : [start.file];
}

/** Throws when the folder has no entry point. */
export function findEntryPoint(folder: string, given?: string): EntryPoint {
  const scripts = readScripts(folder);
  const start = scripts[0];
  const usual = usualFiles.find((file) => existsSync(join(folder, file)));
  const file = given ?? usual ?? start?.file;
  if (file === undefined) {
    throw new HttpError(
      404,
      `${folder} has no entry point: none of ${usualFiles.join(", ")} exists, and no start script names a file; give it with --entry=<file>`,
    );
  }
  if (!existsSync(join(folder, file))) throw new HttpError(404, `there is no entry point ${join(folder, file)}`);
  const flags = (scripts.find((script) => script.file === file) ?? start)?.flags ?? [];
  return { file, flags: [...flags, ...toCondition(folder, flags)] };
}

/** The scripts of package.json that run a file with node; `start` is the first. */
function readScripts(folder: string): EntryPoint[] {
  const manifest = readManifest(folder);
  if (manifest === undefined) {
    throw new HttpError(404, `${folder} is not an application: it has no package.json, or one that is not JSON`);
  }
  const { start, ...others } = Object(manifest.scripts) as Readonly<Record<string, unknown>>; // an object of any values
  return [start, ...Object.values(others)].flatMap((command) =>
    typeof command === "string" ? parseScript(command) : [],
  );
}

/** `node --flag file.ts` inside a script. */
function parseScript(command: string): EntryPoint[] {
  const words = (command.match(/"[^"]*"|'[^']*'|[^\s"']+/g) ?? []).map((word) => word.replace(/^["']|["']$/g, ""));
  const node = words.indexOf("node");
  if (node === -1) return [];
  const flags: string[] = [];
  for (let index = node + 1; index < words.length; index++) {
    const word = words[index] ?? "";
    if (!word.startsWith("-")) return [{ file: word.replace(/^\.\//, ""), flags }];
    const value = flagsWithValue.has(word) ? words[++index] : undefined;
    if (!unwantedFlags.test(word)) flags.push(word, ...(value === undefined ? [] : [value]));
  }
  return [];
}

/** Packages linked from a checkout run from their source, because it may have no build. */
function toCondition(folder: string, flags: readonly string[]): string[] {
  if (flags.some((flag) => flag.includes(sourceCondition))) return [];
  const core = findPackage(folder, "@tenon/core");
  return core !== undefined && existsSync(join(core, "tsconfig.json")) ? [`--conditions=${sourceCondition}`] : [];
}

/** The folder of a package that the application uses; undefined when it is not installed. */
export function findPackage(folder: string, name: string): string | undefined {
  try {
    return dirname(createRequire(join(folder, "package.json")).resolve(`${name}/package.json`));
  } catch {
    return undefined;
  }
}

/** Why an application may not know how to describe itself. */
export function describeCore(folder: string): string {
  const core = findPackage(folder, "@tenon/core");
  if (core === undefined) return "@tenon/core is not installed";
  return `its @tenon/core ${readManifest(core)?.version} may be too old`;
}
