import { inject } from "@tenon/core";
import { type Kysely, type Migration, Migrations } from "@tenon/data";

export interface AccountTables {
  account_tokens: {
    /** A digest of the purpose and the token, so that the token of one purpose is unknown to every other. */
    readonly hash: string;
    readonly purpose: string;
    readonly user_id: string;
    /** What the token confirms: the new address; null for the other purposes. */
    readonly subject: string | null;
    /** A digest of the address and the password hash that the user had when the token was made. */
    readonly bound: string;
    readonly expires_at: string;
  };
  account_states: {
    readonly user_id: string;
    /** The address that was verified last. The account is verified while this is its address. */
    readonly verified_email: string | null;
  };
  account_events: {
    readonly id: string;
    readonly user_id: string;
    readonly event: string;
    readonly actor: string;
    readonly address: string;
    readonly client: string;
    readonly created_at: string;
  };
}

/** A database or a transaction of it. */
export type AccountStore = Kysely<AccountTables>;

const migrations: readonly Migration[] = [
  {
    name: "accounts-001",
    up: async (db) => {
      await db.schema
        .createTable("account_tokens")
        .addColumn("hash", "text", (column) => column.primaryKey())
        .addColumn("purpose", "text", (column) => column.notNull())
        .addColumn("user_id", "text", (column) => column.notNull())
        .addColumn("subject", "text")
        .addColumn("bound", "text", (column) => column.notNull())
        .addColumn("expires_at", "text", (column) => column.notNull())
        .execute();
      await db.schema.createIndex("account_tokens_user_id").on("account_tokens").column("user_id").execute();
      await db.schema.createIndex("account_tokens_expires_at").on("account_tokens").column("expires_at").execute();
      await db.schema
        .createTable("account_states")
        .addColumn("user_id", "text", (column) => column.primaryKey())
        .addColumn("verified_email", "text")
        .execute();
      await db.schema
        .createTable("account_events")
        .addColumn("id", "text", (column) => column.primaryKey())
        .addColumn("user_id", "text", (column) => column.notNull())
        .addColumn("event", "text", (column) => column.notNull())
        .addColumn("actor", "text", (column) => column.notNull())
        .addColumn("address", "text", (column) => column.notNull())
        .addColumn("client", "text", (column) => column.notNull())
        .addColumn("created_at", "text", (column) => column.notNull())
        .execute();
      await db.schema
        .createIndex("account_events_user_id")
        .on("account_events")
        .columns(["user_id", "created_at"])
        .execute();
    },
    down: async (db) => {
      for (const table of ["account_tokens", "account_states", "account_events"]) {
        await db.schema.dropTable(table).execute();
      }
    },
  },
  {
    name: "accounts-002-events-by-time",
    up: (db) => db.schema.createIndex("account_events_created_at").on("account_events").column("created_at").execute(),
    down: (db) => db.schema.dropIndex("account_events_created_at").execute(),
  },
];

/** Adds the tables of accounts to the migrations of the database. */
export class AccountMigrations {
  constructor() {
    inject(Migrations).add(migrations);
  }
}
