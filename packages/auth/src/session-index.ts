import { Clock, inject, Log } from "@tenon/core";
import { BoundedMap } from "@tenon/core/internal";
import { type AnyDatabase, Database, KeyValue, Migrations, Sweeps } from "@tenon/data";

/** A session as its user sees it. */
export interface SessionEntry {
  /** Names the session without being its secret. */
  readonly id: string;
  readonly created_at: string;
  /** Written at most every 5 minutes. */
  readonly last_used_at: string;
  readonly address: string;
  readonly client: string;
}

interface SessionRow {
  /** The digest of the session id, under which the key-value store has the session. */
  readonly id: string;
  readonly user_id: string;
  readonly last_used_at: string;
  readonly expires_at: string;
}

interface Schema {
  auth_sessions: SessionRow;
}

/** Milliseconds between two writes of `last_used_at`. */
const useInterval = 5 * 60_000;
const maxListed = 100;

/**
 * Which sessions a user has: a key-value store cannot be searched. The session itself decides whether it is valid, so a
 * row may outlive it.
 */
export class SessionIndex {
  readonly #db = inject(Database<Schema>);
  readonly #store = inject(KeyValue);
  readonly #clock = inject(Clock);
  readonly #log = inject(Log);
  /** When this instance last wrote the use of a session, so that most requests do not touch the table. */
  readonly #noted = new BoundedMap<string, number>(10_000);

  constructor() {
    inject(Migrations).add([
      {
        name: "auth-003-sessions",
        up: async (db) => {
          await db.schema
            .createTable("auth_sessions")
            .addColumn("id", "text", (column) => column.primaryKey())
            .addColumn("user_id", "text", (column) => column.notNull())
            .addColumn("last_used_at", "text", (column) => column.notNull())
            .addColumn("expires_at", "text", (column) => column.notNull())
            .execute();
          await db.schema.createIndex("auth_sessions_user_id").on("auth_sessions").column("user_id").execute();
        },
        down: (db) => db.schema.dropTable("auth_sessions").execute(),
      },
      {
        name: "auth-003-session-expiry",
        up: (db) =>
          db.schema.createIndex("auth_sessions_expires_at").on("auth_sessions").column("expires_at").execute(),
        down: (db) => db.schema.dropIndex("auth_sessions_expires_at").execute(),
      },
    ]);
    inject(Sweeps).addTable("auth_sessions", "id", "expires_at", () => this.#clock.timestamp());
  }

  async add(id: string, userId: string, expires: number): Promise<void> {
    const now = this.#clock.now();
    const row = { id, user_id: userId, last_used_at: toText(now), expires_at: toText(expires) };
    await this.#db.insertInto("auth_sessions").values(row).execute();
    this.#noted.set(id, now);
  }

  /** The newest first. */
  async list(userId: string): Promise<Pick<SessionRow, "id" | "last_used_at">[]> {
    return this.#db
      .selectFrom("auth_sessions")
      .select(["id", "last_used_at"])
      .where("user_id", "=", userId)
      .where("expires_at", ">", this.#clock.timestamp())
      .orderBy("expires_at", "desc")
      .orderBy("id", "desc")
      .limit(maxListed)
      .execute();
  }

  /** The session of a row; undefined when the store has ended it. */
  read<T extends object>(kind: string, id: string): Promise<T | undefined> {
    return this.#store.get<T>(`${kind}:${id}`);
  }

  async remove(id: string): Promise<void> {
    await this.#db.deleteFrom("auth_sessions").where("id", "=", id).execute();
  }

  /** Forgets the sessions of a user who is deleted. */
  async removeAll(userId: string, transaction: AnyDatabase): Promise<void> {
    await transaction.deleteFrom("auth_sessions").where("user_id", "=", userId).execute();
  }

  /** Ends a session of this user. Returns whether there was one. */
  async end(kind: string, userId: string, id: string): Promise<boolean> {
    if (id.includes("\0")) return false; // PostgreSQL throws on U+0000 instead of finding no row
    const row = await this.#db
      .selectFrom("auth_sessions")
      .select("id")
      .where("id", "=", id)
      .where("user_id", "=", userId)
      .executeTakeFirst();
    if (row === undefined) return false;
    // before the row: after a failure in between, the user can still find the row and try again
    const existed = await this.#store.delete(`${kind}:${id}`);
    await this.remove(id);
    return existed;
  }

  /** Errors are only logged: a failed timestamp must not refuse a valid session. */
  async noteUse(id: string): Promise<void> {
    const now = this.#clock.now();
    const noted = this.#noted.get(id);
    if (noted !== undefined && now - noted < useInterval) return;
    this.#noted.set(id, now);
    try {
      await this.#db
        .updateTable("auth_sessions")
        .set({ last_used_at: toText(now) })
        .where("id", "=", id)
        .where("last_used_at", "<=", toText(now - useInterval)) // another instance may have written it
        .execute();
    } catch (error) {
      this.#log.warn({ err: error }, "the last use of a session could not be stored");
    }
  }
}

function toText(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
