import { randomUUID } from "node:crypto";
import { BindError, Clock, type Context, dto, inject, Log, parse, timestamp } from "@tenon/core";
import { createSecret, digest } from "@tenon/core/internal";
import { type AnyDatabase, Database, Migrations } from "@tenon/data";
import type { Kysely } from "kysely";
import { parseScopes } from "./scopes.ts";

/** A key as its owner sees it. The key itself is shown once, when it is created. */
export interface ApiKeyRecord {
  readonly id: string;
  readonly user_id: string;
  readonly name: string;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly last_used_at: string | null;
  /** What it may do where `requireScope()` asks; null for everything. */
  readonly scopes: readonly string[] | null;
}

/** Its scopes are separated by spaces, which they cannot contain. */
type ApiKeyRow = Omit<ApiKeyRecord, "scopes"> & { readonly scopes: string | null };

interface Schema {
  api_keys: ApiKeyRow & { readonly hash: string };
}

export interface NewApiKey {
  readonly name?: string | undefined;
  /** Expiry: an RFC 3339 time with an offset, such as `2027-01-01T00:00:00Z`. Any other text is a 400. Defaults to never. */
  readonly expiresAt?: string | undefined;
  /** At most 50, such as `["posts:write"]`; none for `[]`; everything that the user may do for "all". */
  readonly scopes: readonly string[] | "all";
}

/** Called in the transaction of the change, for an audit log or a notice to the user. `ctx`: the request, where there is one. */
export type ApiKeyListener = (
  change: {
    readonly event: "api key created" | "api key revoked";
    readonly userId: string;
    readonly ctx: Context | undefined;
  },
  transaction: AnyDatabase,
) => Promise<void>;

const columns = ["id", "user_id", "name", "created_at", "expires_at", "last_used_at", "scopes"] as const;
/** Milliseconds between two writes of `last_used_at`. */
const useInterval = 60_000;

/** API keys: 256 bits, hashed at rest, revocable. */
export class ApiKeys {
  readonly #db = inject(Database<Schema>);
  readonly #clock = inject(Clock);
  readonly #log = inject(Log);
  readonly #listeners: ApiKeyListener[] = [];

  constructor() {
    inject(Migrations).add([
      {
        name: "auth-001-api-keys",
        up: async (db) => {
          await db.schema
            .createTable("api_keys")
            .addColumn("id", "text", (column) => column.primaryKey())
            .addColumn("user_id", "text", (column) => column.notNull())
            .addColumn("name", "text", (column) => column.notNull())
            .addColumn("hash", "text", (column) => column.notNull().unique())
            .addColumn("created_at", "text", (column) => column.notNull())
            .addColumn("expires_at", "text")
            .addColumn("last_used_at", "text")
            .execute();
          await db.schema.createIndex("api_keys_user_id").on("api_keys").column("user_id").execute();
        },
        down: (db) => db.schema.dropTable("api_keys").execute(),
      },
      {
        name: "auth-002-api-key-scopes",
        up: (db) => db.schema.alterTable("api_keys").addColumn("scopes", "text").execute(),
        down: (db) => db.schema.alterTable("api_keys").dropColumn("scopes").execute(),
      },
    ]);
  }

  /** Calls a function in the transaction that creates or revokes a key, which fails with it. Call it in a constructor. */
  onChange(listener: ApiKeyListener): void {
    this.#listeners.push(listener);
  }

  /** `ctx`: the request that creates it, for the listeners. */
  async create(
    userId: string,
    options: NewApiKey,
    ctx?: Context,
  ): Promise<{ readonly key: string; readonly record: ApiKeyRecord }> {
    const key = `tnn_${createSecret()}`;
    const record: ApiKeyRecord = {
      id: randomUUID(),
      user_id: userId,
      name: options.name ?? "",
      created_at: this.#clock.timestamp(),
      expires_at: options.expiresAt === undefined ? null : parseExpiry(options.expiresAt, this.#clock.now()),
      last_used_at: null,
      scopes: options.scopes === "all" ? null : parseScopes(options.scopes),
    };
    const row = { ...record, scopes: record.scopes?.join(" ") ?? null, hash: digest(key) };
    await this.#db.transaction().execute(async (transaction) => {
      await transaction.insertInto("api_keys").values(row).execute();
      await this.#tell({ event: "api key created", userId, ctx }, transaction);
    });
    this.#log.info({ event: "api key created", user_id: userId, key_id: record.id });
    return { key, record };
  }

  async list(userId: string): Promise<ApiKeyRecord[]> {
    const rows = await this.#db
      .selectFrom("api_keys")
      .select(columns)
      .where("user_id", "=", userId)
      .orderBy("created_at", "desc")
      .orderBy("id", "desc")
      .execute();
    return rows.map(toRecord);
  }

  /** Deletes a key of this user, on behalf of the request `ctx`. Returns whether there was one. */
  async revoke(userId: string, id: string, ctx?: Context): Promise<boolean> {
    if (id.includes("\0")) return false; // PostgreSQL throws on U+0000 instead of finding no row
    const wasThere = await this.#db.transaction().execute(async (transaction) => {
      const own = transaction.deleteFrom("api_keys").where("id", "=", id).where("user_id", "=", userId);
      const { numDeletedRows } = await own.executeTakeFirst();
      if (numDeletedRows > 0n) await this.#tell({ event: "api key revoked", userId, ctx }, transaction);
      return numDeletedRows > 0n;
    });
    if (!wasThere) return false;
    this.#log.info({ event: "api key revoked", user_id: userId, key_id: id });
    return true;
  }

  /** Deletes all keys of this user, in the given transaction if there is one. Returns how many there were. */
  async revokeAll(userId: string, transaction?: AnyDatabase): Promise<number> {
    const db = (transaction as Kysely<Schema> | undefined) ?? this.#db; // it has the tables of all modules
    const { numDeletedRows } = await db.deleteFrom("api_keys").where("user_id", "=", userId).executeTakeFirst();
    if (numDeletedRows > 0n) this.#log.info({ event: "api keys revoked", user_id: userId });
    return Number(numDeletedRows);
  }

  /** The record of a valid key. The look-up by digest leaks nothing about the key through its timing. */
  async validate(key: string): Promise<ApiKeyRecord | undefined> {
    const now = this.#clock.timestamp();
    const row = await this.#db
      .selectFrom("api_keys")
      .select(columns)
      .where("hash", "=", digest(key))
      .where((eb) => eb.or([eb("expires_at", "is", null), eb("expires_at", ">", now)]))
      .executeTakeFirst();
    return row && toRecord(row);
  }

  /** Writes at most once a minute: a key in constant use would otherwise turn every read into a write. */
  async noteUse({ id, user_id, last_used_at }: ApiKeyRecord): Promise<void> {
    const due = new Date(this.#clock.now() - useInterval).toISOString();
    if (last_used_at !== null && last_used_at > due) return;
    const { numUpdatedRows } = await this.#db
      .updateTable("api_keys")
      .set({ last_used_at: this.#clock.timestamp() })
      .where("id", "=", id)
      // checked again in the statement, so that only one of many concurrent requests writes
      .where((eb) => eb.or([eb("last_used_at", "is", null), eb("last_used_at", "<=", due)]))
      .executeTakeFirst();
    if (numUpdatedRows > 0n) this.#log.info({ event: "api key used", user_id, key_id: id });
  }

  async #tell(...change: Parameters<ApiKeyListener>): Promise<void> {
    for (const listener of this.#listeners) await listener(...change);
  }
}

function toRecord({ scopes, ...row }: ApiKeyRow): ApiKeyRecord {
  return { ...row, scopes: scopes === null ? null : scopes.split(" ").filter((scope) => scope !== "") };
}

const Expiry = dto({ expires_at: timestamp("required") });

/** Times are compared as text, which is correct only for years of four digits. */
function parseExpiry(text: string, now: number): string {
  const { expires_at: time } = parse(Expiry, { expires_at: text });
  if (time.getTime() <= now) {
    throw new BindError([{ path: "expires_at", rule: "future", message: "must be in the future" }]);
  }
  return time.toISOString();
}
