import type { AnyDatabase } from "@tenon/data";

/** What accounts read of a user. */
export interface AccountUser {
  readonly id: string;
  readonly email: string;
  readonly name?: string;
  /** The hash. */
  readonly password: string;
}

/**
 * The port to the users of an application, which implements it on its own table. A method that gets a transaction runs
 * its statements there: on SQLite any other statement would wait for the end of that transaction, for ever.
 */
export abstract class AccountUsers {
  abstract find(id: string, transaction?: AnyDatabase): Promise<AccountUser | undefined>;
  /** Compares addresses as the login does. */
  abstract findByEmail(email: string): Promise<AccountUser | undefined>;
  /** Stores a hash. */
  abstract setPassword(id: string, hash: string, transaction: AnyDatabase): Promise<void>;
  /** Throws the unique violation of the database when another user has the address. */
  abstract setEmail(id: string, email: string, transaction: AnyDatabase): Promise<void>;
  /** Deletes the user, and what the application does not keep without one. */
  abstract delete(id: string, transaction: AnyDatabase): Promise<void>;
}

/** What `LoginLimit` counts failed logins by. The logins of an application must count by the same. */
export function limitedAs({ email }: AccountUser): string {
  return email.toLowerCase();
}

/** What it counts passwords by that a user gives who is logged in: failed logins of strangers must not stop the owner. */
export function confirmedAs({ id }: AccountUser): string {
  return `user:${id}`;
}
