import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Clock, type Context, dto, type Infer, inject, type Routes, string } from "@tenon/core";
import { KeyValue } from "@tenon/data";
import { defineJob, job } from "@tenon/jobs";
import { Backup } from "../database/backup.ts";

export const PurgeExpired = defineJob("maintenance/purge", {
  summary: "Delete expired sessions, refresh tokens and login limits",
  attempts: 3,
});

export const BackUp = defineJob("maintenance/backup", {
  summary: "Copy the SQLite database to a folder, and keep the newest copies",
  input: dto({ folder: string("required") }),
  attempts: 3,
});

/** Copies that a folder holds. */
const kept = 7;
const copyName = /^blog-[\d-]+T[\d-]+Z\.db$/;

/** What keeps the service small and safe: schedules start it, and so can a terminal. */
export class MaintenanceJobs {
  readonly #keyValue = inject(KeyValue);
  readonly #backup = inject(Backup);
  readonly #clock = inject(Clock);

  routes(): Routes {
    return [job(PurgeExpired, this.purge), job(BackUp, this.backUp)];
  }

  async purge() {
    return { deleted: await this.#keyValue.sweep() };
  }

  async backUp(_: Context, { folder }: Infer<typeof BackUp.input>) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const time = this.#clock.timestamp().replace(/\.\d+Z$/, "Z");
    const file = join(folder, `blog-${time.replaceAll(":", "-")}.db`);
    const bytes = await this.#backup.write(file);
    const old = readdirSync(folder)
      .filter((name) => copyName.test(name))
      .sort()
      .slice(0, -kept);
    for (const name of old) rmSync(join(folder, name));
    return { file, bytes, deleted: old.length };
  }
}
