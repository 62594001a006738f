import type { TestClient, TestHttpApp } from "@tenon/core/testing";
import { Sessions } from "./sessions.ts";
import { sessionCookie } from "./settings.ts";
import { Tokens } from "./tokens.ts";

interface TestUser {
  readonly id: string;
  /** Defaults to one that is made of the id. */
  readonly email?: string;
  /** Defaults to `user`. */
  readonly role?: string;
}

/**
 * A client of a test application that is logged in, without a request and without a password: it has an access token,
 * for `BearerAuth`, and a session, for `SessionAuth`. `const ada = await loginAs(app, { id: "ada" })`.
 */
export async function loginAs(app: TestHttpApp, user: TestUser): Promise<TestClient> {
  const { id, email = `${id}@example.com`, role = "user" } = user;
  const sessions = app.get(Sessions);
  const token = await findTokens(app)?.issue({ id, email, role });
  const client = app.client(token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } });
  client.setCookie(sessionCookie, await sessions.create(id));
  return client;
}

/** Undefined where the module has no secret. */
function findTokens(app: TestHttpApp): Tokens | undefined {
  try {
    return app.get(Tokens);
  } catch {
    return undefined;
  }
}
