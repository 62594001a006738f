import { randomUUID } from "node:crypto";
import { Clock, type Context, inject } from "@tenon/core";
import { type AnyDatabase, Database, Sweeps } from "@tenon/data";
import type { AccountStore, AccountTables } from "./account-tables.ts";
import { AccountSettings } from "./settings.ts";

export type AccountEventName =
  | "registered"
  | "address verified"
  | "reset requested"
  | "password reset"
  | "password changed"
  | "address change requested"
  | "address changed"
  | "second factor enabled"
  | "second factor disabled"
  | "recovery codes renewed"
  | "recovery code used"
  | "wrong codes"
  | "api key created"
  | "api key revoked"
  | "sessions ended"
  | "account deleted";

/** The request of the user, or a name: `operator:<name>` for a command, `system` for what the application does itself. */
export type Actor = Context | `operator:${string}` | "user" | "system";

/** An entry of the audit log. */
export interface AccountEvent {
  readonly id: string;
  readonly user_id: string;
  readonly event: AccountEventName;
  /** `user`, `operator:<name>` or `system`. */
  readonly actor: string;
  /** The address of the client; "" without a request. */
  readonly address: string;
  /** The `User-Agent` of the client, at most 200 characters; "" without a request. */
  readonly client: string;
  readonly created_at: string;
}

const columns = ["id", "user_id", "event", "actor", "address", "client", "created_at"] as const;

/** The audit log: what happened to an account, when, and through whom. */
export class AccountEvents {
  readonly #db = inject(Database<AccountTables>);
  readonly #clock = inject(Clock);

  constructor() {
    const { keepEvents } = inject(AccountSettings);
    const until = () => new Date(this.#clock.now() - keepEvents).toISOString();
    inject(Sweeps).addTable("account_events", "id", "created_at", until);
  }

  /** In a transaction the entry exists if and only if the change does. */
  async record(
    userId: string,
    event: AccountEventName,
    actor: Actor,
    transaction: AnyDatabase = this.#db,
  ): Promise<void> {
    const store: AccountStore = transaction;
    const entry = { id: randomUUID(), user_id: userId, event, created_at: this.#clock.timestamp() };
    await store
      .insertInto("account_events")
      .values({ ...entry, ...describe(actor) })
      .execute();
  }

  /** The newest first. */
  async list(userId: string, limit = 100): Promise<AccountEvent[]> {
    const rows = await this.#db
      .selectFrom("account_events")
      .select(columns)
      .where("user_id", "=", userId)
      .orderBy("created_at", "desc")
      .orderBy("id", "desc")
      .limit(limit)
      .execute();
    return rows.map((row) => ({ ...row, event: row.event as AccountEventName })); // the column holds nothing else
  }

  async deleteAll(userId: string, transaction: AccountStore): Promise<void> {
    await transaction.deleteFrom("account_events").where("user_id", "=", userId).execute();
  }
}

function describe(actor: Actor): Pick<AccountEvent, "actor" | "address" | "client"> {
  if (typeof actor === "string") return { actor, address: "", client: "" };
  // PostgreSQL throws on U+0000 and half a surrogate pair
  const client = actor.header("user-agent").slice(0, 200).replaceAll("\0", "").toWellFormed();
  return { actor: "user", address: actor.request().address(), client };
}
