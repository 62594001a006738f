import { randomUUID } from "node:crypto";
{% if (accounts) { -%}
import { Accounts } from "@tenon/accounts";
{% } -%}
import { PasswordLogin, Passwords, RegistrationLimit } from "@tenon/auth";
import { {%= accounts ? "BindError, " : "" %}type Context, inject } from "@tenon/core";
import { Database, isUniqueViolation, isUuid } from "@tenon/data";
{% if (accounts) { -%}
import { isAddress } from "@tenon/mail";
{% } -%}
import type { Schema } from "../database/schema.ts";
import type { LoginDTO, RegisterDTO, StoredUser } from "./users.dto.ts";

export class UsersService {
  readonly #db = inject(Database<Schema>);
  readonly #passwords = inject(Passwords);
  readonly #login = inject(PasswordLogin);
  readonly #registrations = inject(RegistrationLimit);
{% if (accounts) { -%}
  readonly #accounts = inject(Accounts);
{% } -%}

  /** Undefined for an unknown id. */
  async find(id: string): Promise<StoredUser | undefined> {
    if (!isUuid(id)) return undefined; // PostgreSQL cannot look for it
    return this.#db.selectFrom("users").selectAll().where("id", "=", id).executeTakeFirst();
  }

  /** Undefined when the address is registered already. A client, the one of `ctx`, gets a 429 for too many users. */
  register(input: RegisterDTO, ctx?: Context, role = "user"): Promise<StoredUser | undefined> {
    return this.#registrations.run(ctx, () => this.#create(input, role, ctx));
  }

  async #create({ email, password }: RegisterDTO, role: string, ctx?: Context): Promise<StoredUser | undefined> {
{% if (accounts) { -%}
    if (!isAddress(email)) {
      throw new BindError([{ path: "email", rule: "email", message: "must be an address that mails can be sent to" }]);
    }
{% } -%}
    const user: StoredUser = {
      id: randomUUID(),
      email: email.toLowerCase(),
      password: await this.#passwords.hash(password, ctx),
      role,
      created_at: new Date().toISOString(),
    };
    try {
{% if (accounts) { -%}
      await this.#db.transaction().execute(async (transaction) => {
        await transaction.insertInto("users").values(user).execute();
        await this.#accounts.registered(user.id, { transaction }); // the mail is sent only if the user is stored
      });
{% } else { -%}
      await this.#db.insertInto("users").values(user).execute();
{% } -%}
      return user;
    } catch (error) {
      if (isUniqueViolation(error)) return undefined;
      throw error;
    }
  }

  /** Undefined when no user has the address. */
  setRole(email: string, role: string): Promise<StoredUser | undefined> {
    const update = this.#db.updateTable("users").set({ role }).where("email", "=", email.toLowerCase());
    return update.returningAll().executeTakeFirst();
  }

  /**
   * Undefined for an unknown email, a wrong password or a wrong code. Too many failures are a 429, and a missing code of a
   * second factor is a 401.
   */
  login(input: LoginDTO, ctx: Context): Promise<StoredUser | undefined> {
    const account = input.email.toLowerCase();
    const find = () => this.#db.selectFrom("users").selectAll().where("email", "=", account).executeTakeFirst();
    return this.#login.check({ ...input, account, find }, ctx);
  }
}
