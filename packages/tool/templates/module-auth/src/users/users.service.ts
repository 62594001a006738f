import { randomUUID } from "node:crypto";
import { LoginLimit, Passwords } from "@tenon/auth";
import { type Context, inject } from "@tenon/core";
import { Database, isUniqueViolation, isUuid{%= hasSessions ? "" : ", Migrations" %} } from "@tenon/data";
import type { Schema } from "../database/schema.ts";
import type { LoginDTO, RegisterDTO, StoredUser } from "./users.dto.ts";
{% if (!hasSessions) { -%}
import { migrations } from "./users.migrations.ts";
{% } -%}

export class UsersService {
  readonly #db = inject(Database<Schema>);
  readonly #passwords = inject(Passwords);
  readonly #limit = inject(LoginLimit);
{% if (!hasSessions) { -%}

  constructor() {
    inject(Migrations).add(migrations);
  }
{% } -%}

  /** Undefined for an unknown id. */
  async find(id: string): Promise<StoredUser | undefined> {
    if (!isUuid(id)) return undefined; // PostgreSQL cannot look for it
    return this.#db.selectFrom("users").selectAll().where("id", "=", id).executeTakeFirst();
  }

  /** Undefined when the email is registered already. */
  async register({ email, password }: RegisterDTO, role = "user"): Promise<StoredUser | undefined> {
    const user: StoredUser = {
      id: randomUUID(),
      email: email.toLowerCase(),
      password: await this.#passwords.hash(password),
      role,
      created_at: new Date().toISOString(),
    };
    try {
      await this.#db.insertInto("users").values(user).execute();
      return user;
    } catch (error) {
      if (isUniqueViolation(error)) return undefined;
      throw error;
    }
  }

  /** Undefined when no user has the email. */
  setRole(email: string, role: string): Promise<StoredUser | undefined> {
    const update = this.#db.updateTable("users").set({ role }).where("email", "=", email.toLowerCase());
    return update.returningAll().executeTakeFirst();
  }

  /** Undefined for an unknown email or a wrong password, which take equally long. Too many failures are a 429. */
  async login(input: LoginDTO, ctx: Context): Promise<StoredUser | undefined> {
    const email = input.email.toLowerCase();
    await this.#limit.check(email, ctx);
    const user = await this.#db.selectFrom("users").selectAll().where("email", "=", email).executeTakeFirst();
    const isRight = await this.#passwords.matches(input.password, user?.password);
    await this.#limit.check(email, ctx); // again: guesses sent concurrently all pass the first check
    if (isRight) return user;
    await this.#limit.noteFailure(email, ctx);
    return undefined;
  }
}
