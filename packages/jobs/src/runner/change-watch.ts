import type { Database } from "@tenon/data";
import { jobChannel } from "../store/job-statements.ts";
import { SqliteWatch } from "./sqlite-watch.ts";

/**
 * Notices that another process, or a transaction of this one, has committed: by LISTEN on PostgreSQL, by its log file on
 * SQLite.
 */
export class ChangeWatch {
  readonly #db: Database;
  readonly #onChange: () => void;
  #stop: (() => unknown) | undefined;

  constructor(db: Database, onChange: () => void) {
    this.#db = db;
    this.#onChange = onChange;
  }

  start(): void {
    if (this.#db.kind === "sqlite") {
      const watch = new SqliteWatch(this.#db, this.#onChange);
      this.#stop = () => watch.stop();
      void watch.start();
    } else this.#stop = this.#db.listen(jobChannel, () => this.#onChange());
  }

  async stop(): Promise<void> {
    await this.#stop?.();
  }
}
