import { relative } from "node:path/posix";
import { HttpError } from "@tenon/core";
import { addDependencies } from "../scaffold/manifest.ts";
import { readOrigin } from "../scaffold/origin.ts";
import { checkDataModule, dataModuleFile, readIfPresent, type Wiring } from "./application.ts";
import type { Change } from "./changes.ts";
import { addToModule } from "./edit-module.ts";

export const jobsModuleFile = "src/jobs.module.ts";

const jobsModuleText = `import { jobsModule } from "@tenon/jobs";
import { DataModule } from "./data.module.ts";

/** Jobs and schedules, on the database. An API or web application runs them itself, unless \`inProcess\` is false. */
export const JobsModule = jobsModule(DataModule);
`;

/** What a module with a job needs: `JobsModule` in its imports, and in an older application that module and the package. */
export function importJobs(
  folder: string,
  moduleFile: string,
  wiring: Wiring,
): { readonly changes: readonly Wiring[]; readonly shared: readonly Change[] } {
  if (readIfPresent(folder, dataModuleFile) === undefined) {
    throw new HttpError(409, `a job needs the database of ${dataModuleFile}: nothing was changed`);
  }
  checkDataModule(folder);
  const path = `./${relative(moduleFile.replace(/\/[^/]+$/, ""), jobsModuleFile)}`.replace(/^\.\/(?=\.\.)/, "");
  return { changes: addImport(wiring, moduleFile, path), shared: findMissing(folder) };
}

/** In one change with the declaration, because both are in the same file. */
function addImport(wiring: Wiring, file: string, path: string): readonly Wiring[] {
  const source = "path" in wiring ? (wiring.after ?? "") : "";
  if (/\bJobsModule\b/.test(source)) return [wiring];
  const after = addToModule(source, "imports", { name: "JobsModule", path });
  if ("path" in wiring && after !== undefined)
    return [{ ...wiring, after, note: `${wiring.note}, imports JobsModule` }];
  const byHand = `\nAdd to ${file}:\n  import { JobsModule } from "${path}";\n  imports: [JobsModule],\n`;
  return [wiring, { byHand }];
}

function findMissing(folder: string): Change[] {
  const before = readIfPresent(folder, "package.json");
  const after = before === undefined ? undefined : addDependencies(before, readOrigin(), ["jobs"]);
  const hasModule = readIfPresent(folder, jobsModuleFile) !== undefined;
  return [
    ...(hasModule ? [] : [{ path: jobsModuleFile, before: undefined, after: jobsModuleText }]),
    ...(after === undefined
      ? []
      : [{ path: "package.json", before, after, note: "depends on @tenon/jobs: npm install" }]),
  ];
}
