import { inject } from "@tenon/core";
import { Database, isUuid, Migrations } from "@tenon/data";
import type { Schema } from "../database/schema.ts";
import { migrations } from "./users.migrations.ts";

/** Reads the user of a request for the guards: a deleted user is refused, and a new role counts at once for sessions. */
export class UserFinder {
  readonly #db = inject(Database<Schema>);

  constructor() {
    inject(Migrations).add(migrations); // here, because modules with guards need the table and import AuthModule only
  }

  readonly find = async (id: string) => {
    if (!isUuid(id)) return undefined; // PostgreSQL cannot look for it
    return this.#db.selectFrom("users").select("role").where("id", "=", id).executeTakeFirst();
  };
}
