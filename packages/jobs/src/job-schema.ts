import { inject } from "@tenon/core";
import { Database, Migrations } from "@tenon/data";
import { createJobMigrations } from "./store/job-tables.ts";

/** Adds the tables of jobs to the migrations of the database. */
export class JobSchema {
  constructor() {
    inject(Migrations).add(createJobMigrations(inject(Database).kind));
  }
}
