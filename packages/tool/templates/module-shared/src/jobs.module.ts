import { jobsModule } from "@tenon/jobs";
import { DataModule } from "./data.module.ts";

/** Jobs and schedules, on the database. An API or web application runs them itself, unless `inProcess` is false. */
export const JobsModule = jobsModule(DataModule);
