import { randomUUID } from "node:crypto";
import { Passwords } from "@tenon/auth";
import { Clock, type Context, inject, Log } from "@tenon/core";
import { Database, isUniqueViolation } from "@tenon/data";
import type { Kysely } from "kysely";
import { canBeStored, type Schema } from "../database/schema.ts";
import type { Role, UserRecord } from "./user.ts";

export interface NewUser {
  readonly email: string;
  readonly password: string;
  readonly name: string;
}

/** Runs in the transaction that creates the user. */
export type OnCreated = (user: UserRecord, transaction: Kysely<Schema>) => Promise<void>;

const columns = ["id", "email", "name", "role", "password", "created_at"] as const;

/** Users and their passwords. */
export class UsersService {
  readonly #db = inject(Database<Schema>);
  readonly #passwords = inject(Passwords);
  readonly #clock = inject(Clock);
  readonly #log = inject(Log);

  /**
   * Undefined when the address is taken. The unique constraint decides, so that two concurrent calls cannot both succeed.
   * What `onCreated` writes in the transaction is there if and only if the user is. `ctx` is the request of a client.
   */
  async create(
    { email, password, name }: NewUser,
    { onCreated, ctx }: { readonly onCreated?: OnCreated | undefined; readonly ctx?: Context } = {},
  ): Promise<UserRecord | undefined> {
    const user: UserRecord = {
      id: randomUUID(),
      email,
      name,
      role: "user",
      password: await this.#passwords.hash(password, ctx),
      created_at: this.#clock.timestamp(),
    };
    try {
      const row = { ...user, email_key: foldEmail(email) };
      if (onCreated === undefined) {
        await this.#db.insertInto("users").values(row).execute();
        return user;
      }
      await this.#db.transaction().execute(async (transaction) => {
        await transaction.insertInto("users").values(row).execute();
        await onCreated(user, transaction);
      });
      return user;
    } catch (error) {
      if (isUniqueViolation(error)) return undefined;
      throw error;
    }
  }

  find(id: string, db: Kysely<Schema> = this.#db): Promise<UserRecord | undefined> {
    return db.selectFrom("users").select(columns).where("id", "=", id).executeTakeFirst();
  }

  async findByEmail(email: string): Promise<UserRecord | undefined> {
    if (!canBeStored(email)) return undefined;
    return this.#db.selectFrom("users").select(columns).where("email_key", "=", foldEmail(email)).executeTakeFirst();
  }

  /** All users, newest first. */
  list(): Promise<UserRecord[]> {
    return this.#db.selectFrom("users").select(columns).orderBy("created_at", "desc").orderBy("id", "desc").execute();
  }

  /** Undefined when there is no such user. Tokens already issued keep their role. */
  async setRole(email: string, role: Role): Promise<UserRecord | undefined> {
    if (!canBeStored(email)) return undefined;
    return this.#db
      .updateTable("users")
      .set({ role })
      .where("email_key", "=", foldEmail(email))
      .returning(columns)
      .executeTakeFirst();
  }

  async setPassword(id: string, hash: string, transaction: Kysely<Schema>): Promise<void> {
    await transaction.updateTable("users").set({ password: hash }).where("id", "=", id).execute();
  }

  /** Throws the unique violation when another user has the address. */
  async setEmail(id: string, email: string, transaction: Kysely<Schema>): Promise<void> {
    const changes = { email, email_key: foldEmail(email) };
    await transaction.updateTable("users").set(changes).where("id", "=", id).execute();
  }

  /** The user's posts must be deleted before. */
  async delete(id: string, transaction: Kysely<Schema>): Promise<void> {
    await transaction.deleteFrom("users").where("id", "=", id).execute();
  }

  /**
   * Hashes the right password of a user again when the cost has become higher. Errors are only logged: the login has
   * succeeded, whether or not a stronger hash can be stored now.
   */
  async strengthen(user: UserRecord, password: string): Promise<void> {
    if (!this.#passwords.isOutdated(user.password)) return;
    try {
      const hash = await this.#passwords.hash(password);
      const update = this.#db.updateTable("users").set({ password: hash }).where("id", "=", user.id);
      // a password that was changed since must not come back
      await update.where("password", "=", user.password).execute();
    } catch (error) {
      this.#log.warn({ err: error, user_id: user.id }, "the password could not be hashed again");
    }
  }
}

/** ASCII only: `toLowerCase()` would merge addresses that a mail server keeps apart, such as one with the Kelvin sign. */
export function foldEmail(email: string): string {
  return email.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}
