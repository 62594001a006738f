import type { AuthOptions } from "@tenon/auth";
import { inject } from "@tenon/core";
import { Database } from "@tenon/data";
import type { Schema } from "../database/schema.ts";

/** For `findUser` of `authModule()`: no guard lets the credentials of a deleted user pass. */
export const createUserFinder: NonNullable<AuthOptions["findUser"]> = () => {
  const db = inject(Database<Schema>);
  // compiled once: building the query takes longer than running it, and it runs for each guarded request
  const byId = db.selectFrom("users").select("role").where("id", "=", "").compile();
  return async (id) => (await db.executeQuery<{ role: string }>({ ...byId, parameters: [id] })).rows[0];
};
