import type { User } from "../users/users.record.ts";

/** The tables of all modules, so that queries across modules are typed: `inject(Database<Schema>)`. */
export interface Schema {
  users: User;
}
