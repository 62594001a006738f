import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { RefreshTokens, Sessions, sessionCookie, Tokens } from "@tenon/auth";
import type { App } from "@tenon/core";
import { Clock } from "@tenon/core";
import { digest } from "@tenon/core/internal";
import { Database, KeyValue } from "@tenon/data";
import type { Schema } from "../../src/database/schema.ts";
import { toUser, type User, type UserRecord } from "../../src/users/user.ts";
import { foldEmail } from "../../src/users/users.service.ts";

export interface TestUser {
  readonly email: string;
  readonly password: string;
  readonly token: string;
  readonly user: User;
}

const password = "correct horse";
/** The hash of the same password with cost 10: a comparison takes about 50 ms. */
export const slowHash = "$2b$10$IkgIj/E9x/FCxm/pwgS8VupqR0vTvbJ5T6wPk//3OMtrpUpYFtnVi";
/** With the cost of `useFastPasswords()`. */
const hash = "$2b$04$fQGLDeUludXyWJSn6BTPTeS7OJpL.bKQO8/7dvbG9dS7JEyUMwhm2";

/** Users of the service under test, with the tokens of a login. Only the tests of logins wait for a hash. */
export class Users {
  readonly #app: App;
  #one: Promise<TestUser> | undefined;

  constructor(app: App) {
    this.#app = app;
  }

  /** The same user for every test that only needs one. */
  one(): Promise<TestUser> {
    this.#one ??= this.add();
    return this.#one;
  }

  async add(email: string = uniqueEmail(), stored: string = hash): Promise<TestUser> {
    const clock = this.#app.get(Clock);
    const record: UserRecord = {
      id: randomUUID(),
      email,
      password: stored,
      name: "Ada",
      role: "user",
      created_at: clock.timestamp(),
    };
    const row = { ...record, email_key: foldEmail(email) };
    await this.#app
      .get(Database<Schema>)
      .insertInto("users")
      .values(row)
      .execute();
    return { email, password, token: await this.#app.get(Tokens).issue(record), user: toUser(record) };
  }

  async remove({ user }: TestUser): Promise<void> {
    await this.#app
      .get(Database<Schema>)
      .deleteFrom("users")
      .where("id", "=", user.id)
      .execute();
  }

  refreshToken({ user }: TestUser): Promise<string> {
    return this.#app.get(RefreshTokens).generate(user.id);
  }

  /** The session cookie, as a client sends it. */
  async session({ user }: TestUser): Promise<{ readonly cookie: string }> {
    return { cookie: `${sessionCookie}=${await this.#app.get(Sessions).create(user.id)}` };
  }

  /** A session, and a function that shortens its life. */
  async expirableSession({ id }: User) {
    const sessionId = await this.#app.get(Sessions).create(id);
    const key = `session:${digest(sessionId)}`;
    const store = this.#app.get(KeyValue);
    const session = await store.get<object>(key);
    assert.ok(session !== undefined, "the sessions' keys are as they were");
    const expireIn = (milliseconds: number) =>
      store.set(key, { ...session, expires: Date.now() + milliseconds }, { ttl: milliseconds / 1000 });
    return { cookie: `${sessionCookie}=${sessionId}`, expireIn };
  }
}

export function uniqueEmail(): string {
  return `ada.${randomUUID()}@example.com`;
}
