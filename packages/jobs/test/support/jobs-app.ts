import { join } from "node:path";
import { api, type Class, defineModule, type Module, type Provider } from "@tenon/core";
import { createTestApp, type TestAppOptions, type TestHttpApp } from "@tenon/core/testing";
import { type DataOptions, dataModule } from "@tenon/data";
import { type JobRecord, type JobState, Jobs, type JobsOptions, jobsModule } from "@tenon/jobs";
import { type TestJobs, withJobs } from "@tenon/jobs/testing";
import { until } from "../../../core/test/support/until.ts";
import { listenDirectly, services, withFolder, withPostgres } from "../../../data/test/support/services.ts";

export interface TestDatabase {
  readonly name: string;
  with<T>(body: (url: string) => Promise<T>): Promise<T>;
}

export const sqliteDatabase: TestDatabase = {
  name: "SQLite",
  with: (body) => withFolder((folder) => body(`sqlite:${join(folder, "app.db")}`)),
};
export const postgresDatabase: TestDatabase = { name: "PostgreSQL", with: (body) => withPostgres(body) };

/** The databases that are reachable: every test runs on each. */
export const databases: readonly TestDatabase[] =
  services.postgres === undefined ? [sqliteDatabase] : [sqliteDatabase, postgresDatabase];

export interface JobsAppOptions extends JobsOptions {
  readonly declarations?: readonly (Class | Provider)[];
  readonly postgres?: NonNullable<DataOptions["postgres"]>;
}

export function createJobsModule(
  database: string,
  { declarations = [], postgres = {}, ...options }: JobsAppOptions = {},
): Module {
  const data = dataModule({ database, postgres: { ...listenDirectly(database), ...postgres } });
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
  const app = withJobs(
    await createTestApp(createJobsModule(database, options), api(), {
      log: { level: "silent" }, // most of these jobs fail on purpose
      ...appOptions,
    }),
  );
  try {
    return await body(app);
  } finally {
    await app.stop();
  }
}

/** Waits until a job is in a state. The loop has no event for a test: the state in the database is what counts. */
export async function reach(app: Pick<JobsApp, "get">, id: number, state: JobState): Promise<JobRecord> {
  let record: JobRecord | undefined;
  const isReached = async () => {
    record = await app.get(Jobs).find(id);
    return record?.state === state;
  };
  await until(isReached, `job ${id} that is ${state}`);
  return record as JobRecord; // it has a state
}
