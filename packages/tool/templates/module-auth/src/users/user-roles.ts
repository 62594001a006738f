import { inject } from "@tenon/core";
import { Database, isUuid, Migrations } from "@tenon/data";
import type { Schema } from "../database/schema.ts";
import { migrations } from "./users.migrations.ts";

/** Reads the role of a user for `SessionAuth`, at each request, so that a new role counts at once. */
export class UserRoles {
  readonly #db = inject(Database<Schema>);

  constructor() {
    inject(Migrations).add(migrations); // here, because modules with guards need the table and import AuthModule only
  }

  readonly find = async (id: string): Promise<string | undefined> => {
    if (!isUuid(id)) return undefined; // PostgreSQL cannot look for it
    const user = await this.#db.selectFrom("users").select("role").where("id", "=", id).executeTakeFirst();
    return user?.role;
  };
}
