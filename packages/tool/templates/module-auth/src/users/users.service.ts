import { randomUUID } from "node:crypto";
import { LoginLimit, Passwords, Tokens } from "@tenon/auth";
import { type Context, inject } from "@tenon/core";
import { Database, isUniqueViolation, migrate } from "@tenon/data";
import type { LoginDTO, RegisterDTO } from "./users.dto.ts";
import type { User } from "./users.record.ts";
import { migrations, type Schema } from "./users.tables.ts";

export class UsersService {
  readonly #db = inject(Database<Schema>);
  readonly #passwords = inject(Passwords);
  readonly #tokens = inject(Tokens);
  readonly #limit = inject(LoginLimit);

  async onStart(): Promise<void> {
    await migrate(this.#db, migrations);
  }

  fits(password: string): boolean {
    return this.#passwords.fits(password);
  }

  find(id: string): Promise<User | undefined> {
    return this.#db.selectFrom("users").selectAll().where("id", "=", id).executeTakeFirst();
  }

  /** Undefined when the email is registered already. */
  async register({ email, password }: RegisterDTO): Promise<User | undefined> {
    const user: User = {
      id: randomUUID(),
      email: email.toLowerCase(),
      password: await this.#passwords.hash(password),
      role: "user",
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

  /** An access token. Undefined for an unknown email or a wrong password, which take equally long. */
  async login(ctx: Context, input: LoginDTO): Promise<string | undefined> {
    const email = input.email.toLowerCase();
    await this.#limit.check(email, ctx);
    const user = await this.#db.selectFrom("users").selectAll().where("email", "=", email).executeTakeFirst();
    if ((await this.#passwords.matches(input.password, user?.password)) && user !== undefined) {
      return this.#tokens.issue({ id: user.id, email, role: user.role });
    }
    await this.#limit.noteFailure(email, ctx);
    return undefined;
  }
}
