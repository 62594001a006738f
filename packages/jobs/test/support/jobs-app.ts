import { join } from "node:path";
import { api, type Class, type Declaration, defineModule, type Module } from "@tenon/core";
import { createTestApp, type TestAppOptions, type TestHttpApp } from "@tenon/core/testing";
import { dataModule } from "@tenon/data";
import { type JobsOptions, jobsModule } from "@tenon/jobs";
import { type TestJobs, withJobs } from "@tenon/jobs/testing";
import { services, withFolder, withPostgres } from "../../../data/test/support/services.ts";

export interface TestDatabase {
  readonly name: string;
  with<T>(body: (url: string) => Promise<T>): Promise<T>;
}

const sqliteFile: TestDatabase = {
  name: "SQLite",
  with: (body) => withFolder((folder) => body(`sqlite:${join(folder, "app.db")}`)),
};
const postgres: TestDatabase = { name: "PostgreSQL", with: (body) => withPostgres(body) };

/** The databases that are reachable: every test runs on each. */
export const databases: readonly TestDatabase[] =
  services.postgres === undefined ? [sqliteFile] : [sqliteFile, postgres];

export interface JobsAppOptions extends JobsOptions {
  readonly declarations?: readonly (Class | Declaration)[];
}

export function createJobsModule(database: string, { declarations = [], ...options }: JobsAppOptions = {}): Module {
  const data = dataModule({ database });
  const jobs = jobsModule(data, options);
  return defineModule({ name: "app", imports: [data, jobs], declarations: [...declarations] });
}

export type JobsApp = TestHttpApp & { readonly jobs: TestJobs };

/** A started application with jobs, which are held unless `background` is true. */
export async function withJobsApp<T>(
  database: string,
  options: JobsAppOptions,
  body: (app: JobsApp) => Promise<T>,
  appOptions: TestAppOptions = {},
): Promise<T> {
  const app = withJobs(await createTestApp(createJobsModule(database, options), api(), appOptions));
  try {
    return await body(app);
  } finally {
    await app.stop();
  }
}
