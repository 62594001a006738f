import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { relative } from "node:path/posix";
import { HttpError } from "@tenon/core";
import { addDependencies } from "../scaffold/manifest.ts";
import { readOrigin } from "../scaffold/origin.ts";
import { checkDataModule, dataModuleFile, hasDataModule, readIfPresent, type Wiring } from "./application.ts";
import type { Change } from "./changes.ts";
import { addToModule } from "./edit-module.ts";

/** A module of the framework that all generated parts of a kind share. */
export interface SharedModule {
  readonly name: string;
  readonly file: string;
  /** The package of the framework: `jobs`. */
  readonly dependency: string;
  /** Its file. Throws when the application lacks what it needs. */
  toText(folder: string): string;
}

const jobs: SharedModule = {
  name: "JobsModule",
  file: "src/jobs.module.ts",
  dependency: "jobs",
  toText(folder) {
    if (readIfPresent(folder, dataModuleFile) === undefined) {
      throw new HttpError(409, `a job needs the database of ${dataModuleFile}: nothing was changed`);
    }
    checkDataModule(folder);
    return `import { jobsModule } from "@tenon/jobs";
import { DataModule } from "./data.module.ts";

/** Jobs and schedules, on the database. An API or web application runs them itself, unless \`inProcess\` is false. */
export const JobsModule = jobsModule(DataModule);
`;
  },
};

const liveTexts = {
  withData: `import { liveModule } from "@tenon/live";
import { DataModule } from "./data.module.ts";

/** Event streams, sockets and channels. They reach all instances where the data is on Redis or PostgreSQL. */
export const LiveModule = liveModule(DataModule);
`,
  alone: `import { liveModule } from "@tenon/live";

/** Event streams, sockets and channels of this machine. With a data module they reach all instances. */
export const LiveModule = liveModule();
`,
};

const live: SharedModule = {
  name: "LiveModule",
  file: "src/live.module.ts",
  dependency: "live",
  toText: (folder) => (hasDataModule(folder) ? liveTexts.withData : liveTexts.alone),
};

/** By the kind of the part that needs it. */
export const sharedModules: ReadonlyMap<string, SharedModule> = new Map([
  ["job", jobs],
  ["channel", live],
]);

/** What the module of such a part needs: the shared module in its imports and, where they are missing, its file and the package. */
export function importShared(
  folder: string,
  moduleFile: string,
  wiring: Wiring,
  shared: SharedModule,
): { readonly changes: readonly Wiring[]; readonly shared: readonly Change[] } {
  const text = shared.toText(folder);
  const path = `./${relative(moduleFile.replace(/\/[^/]+$/, ""), shared.file)}`.replace(/^\.\/(?=\.\.)/, "");
  return {
    changes: addImport(wiring, moduleFile, { name: shared.name, path }),
    shared: findMissing(folder, shared, text),
  };
}

/** In one change with the declaration, because both are in the same file. */
function addImport(wiring: Wiring, file: string, added: { name: string; path: string }): readonly Wiring[] {
  const { name, path } = added;
  const source = "path" in wiring ? (wiring.after ?? "") : "";
  if (new RegExp(`\\b${name}\\b`).test(source)) return [wiring];
  const after = addToModule(source, "imports", added);
  if ("path" in wiring && after !== undefined) return [{ ...wiring, after, note: `${wiring.note}, imports ${name}` }];
  const byHand = `\nAdd to ${file}:\n  import { ${name} } from "${path}";\n  imports: [${name}],\n`;
  return [wiring, { byHand }];
}

function findMissing(folder: string, { file, dependency }: SharedModule, text: string): Change[] {
  const before = readIfPresent(folder, "package.json");
  const after = before === undefined ? undefined : addDependencies(before, readOrigin(), [dependency]);
  const hasModule = readIfPresent(folder, file) !== undefined;
  return [
    ...(hasModule ? [] : [{ path: file, before: undefined, after: text }]),
    ...(after === undefined
      ? []
      : [{ path: "package.json", before, after, note: `depends on @tenon/${dependency}: npm install` }]),
  ];
}

/**
 * The modules that import `LiveModule` for nothing once these files are removed, and its own file if it is as it was
 * generated. Empty while another file uses the package.
 */
export function findUnusedLive(
  folder: string,
  removed: readonly Change[],
): { readonly modules: readonly string[]; readonly files: readonly Change[] } {
  const gone = new Set([...removed.map(({ path }) => path), live.file]);
  const rest = globSync("{src,test}/**/*.ts", { cwd: folder })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => !gone.has(path))
    .map((path) => ({ path, text: readFileSync(join(folder, path), "utf8") }));
  if (rest.some(({ text }) => text.includes('"@tenon/live"'))) return { modules: [], files: [] };
  const modules = rest.filter(({ text }) => /from "[./]+\/live\.module\.ts"/.test(text)).map(({ path }) => path);
  const before = readIfPresent(folder, live.file);
  const isGenerated = before === liveTexts.withData || before === liveTexts.alone;
  return { modules, files: isGenerated ? [{ path: live.file, before, after: undefined }] : [] };
}
