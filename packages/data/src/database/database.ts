import type { OnStart, OnStop } from "@tenon/core";
import { type Dialect, Kysely } from "kysely";

export interface DatabaseParts {
  readonly dialect: Dialect;
  readonly kind: "sqlite" | "postgres";
  /** Opens the store; rejects with a line for people when it does not answer. */
  readonly open: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** A Kysely handle, typed by the application's schema: `inject(Database<Schema>)`. */
export class Database<Schema = unknown> extends Kysely<Schema> implements OnStart, OnStop {
  readonly kind: DatabaseParts["kind"];
  readonly #parts: DatabaseParts;

  constructor(parts: DatabaseParts) {
    super({ dialect: parts.dialect });
    this.kind = parts.kind;
    this.#parts = parts;
  }

  onStart(): Promise<void> {
    return this.#parts.open();
  }

  async onStop(): Promise<void> {
    await this.destroy();
    await this.#parts.close();
  }
}
