import { HttpError } from "@tenon/core";
import { readTemplate } from "../templates.ts";
import { checkDataModule, dataModuleFile, hasDataModule, readIfPresent } from "./application.ts";

/** A module of the framework that all generated parts of a kind share. */
export interface SharedModule {
  readonly name: string;
  /** The package of the framework, and the name of the file: `src/jobs.module.ts`. */
  readonly dependency: string;
  readonly needsData: boolean;
}

export const jobsModule: SharedModule = { name: "JobsModule", dependency: "jobs", needsData: true };

/** By the kind of the part that needs it. */
export const sharedModules: ReadonlyMap<string, SharedModule> = new Map([
  ["job", jobsModule],
  ["channel", { name: "LiveModule", dependency: "live", needsData: false }],
]);

/** The module of the database; none where the application has its own, which must declare `DataModule`. */
export async function readDataModule(folder: string): Promise<ReadonlyMap<string, string>> {
  const files = await readMissing(folder, dataModuleFile);
  if (files.size === 0) checkDataModule(folder);
  return files;
}

/** The file of a shared module; none where the application has it already. */
export async function readSharedModule(
  folder: string,
  { dependency, needsData }: SharedModule,
): Promise<ReadonlyMap<string, string>> {
  if (needsData) {
    if (readIfPresent(folder, dataModuleFile) === undefined) {
      throw new HttpError(409, `a job needs the database of ${dataModuleFile}: nothing was changed`);
    }
    checkDataModule(folder);
  }
  return readMissing(folder, `src/${dependency}.module.ts`);
}

async function readMissing(folder: string, file: string): Promise<ReadonlyMap<string, string>> {
  if (readIfPresent(folder, file) !== undefined) return new Map();
  const model = { hasData: hasDataModule(folder) };
  return readTemplate("module-shared", { isWanted: (path) => path === file, model });
}
