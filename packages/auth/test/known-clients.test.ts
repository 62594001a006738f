import assert from "node:assert/strict";
import { test } from "node:test";
import { LoginLimit, Sessions } from "@tenon/auth";
import { type Context, inject, type Routes } from "@tenon/core";
import type { TestClient } from "@tenon/core/testing";
import { shared } from "../../data/test/support/stores.ts";
import { type AuthApp, withAuth } from "./support/auth-app.ts";

class Login {
  readonly #limit = inject(LoginLimit);
  readonly #sessions = inject(Sessions);

  routes(): Routes {
    return [{ method: "POST", path: "/login/:account/:password", handler: this.login }];
  }

  login = async (ctx: Context) => {
    const account = ctx.param("account");
    await this.#limit.check(account, ctx);
    const isPage = ctx.param("password") === "right";
    if (isPage || ctx.param("password") === "api") await this.#sessions.open(ctx, account, isPage ? { account } : {});
    else await this.#limit.noteFailure(account, ctx);
  };
}

function run(name: string, body: (parts: AuthApp, account: string) => Promise<void>): void {
  for (const adapter of shared) {
    test(`${name} (${adapter.name})`, () =>
      adapter.with(({ redis, ...rest }) => {
        // all tests and runs share one Redis, and failures are counted by address too
        const data = { ...rest, redis: { ...redis, prefix: `${crypto.randomUUID()}:` } };
        return withAuth({ data, declarations: [Login] }, (parts) => body(parts, crypto.randomUUID()));
      }));
  }
}

async function login(client: TestClient, account: string, password = "wrong"): Promise<number> {
  return (await client.request("POST", `/login/${account}/${password}`)).status;
}

async function failTwenty(client: TestClient, account: string): Promise<void> {
  for (let count = 0; count < 20; count++) await login(client, account);
}

run("failures of others do not lock out a browser that has logged in before", async ({ app }, account) => {
  const [owner, attacker] = [app.client(), app.client()];
  assert.equal(await login(owner, account, "right"), 204);
  await failTwenty(attacker, account);
  assert.equal(await login(attacker, account, "right"), 429);
  assert.equal(await login(owner, account, "right"), 204);
  await failTwenty(owner, account);
  assert.equal(await login(owner, account, "right"), 429, "its own failures are counted too");
});

run(
  "a browser is known for the account it has logged in to only, by a secret of the server",
  async ({ app }, account) => {
    const [attacker, victim, other] = [app.client(), app.client(), crypto.randomUUID()];
    await login(attacker, other, "right");
    for (const client of [attacker, victim]) client.setCookie("known_client", "planted");
    await login(attacker, other, "right");
    await login(victim, account, "right");
    await failTwenty(app.client(), account);
    assert.equal(await login(attacker, account, "right"), 429);
    attacker.setCookie("known_client", "planted");
    assert.equal(await login(attacker, account, "right"), 429, "a planted cookie was replaced, not adopted");
    assert.equal(await login(victim, account, "right"), 204);
  },
);

run("a cleared account can log in again from any browser", async ({ app }, account) => {
  await failTwenty(app.client(), account);
  assert.equal(await login(app.client(), account, "right"), 429);
  await app.get(LoginLimit).clear(account);
  assert.equal(await login(app.client(), account, "right"), 204);
});

run("a browser from before a new password has no count of its own after it", async ({ app }, account) => {
  const [before, after] = [app.client(), app.client()];
  await login(before, account, "right");
  await app.get(LoginLimit).clear(account);
  await login(after, account, "right");
  await failTwenty(app.client(), account);
  assert.equal(await login(before, account, "right"), 429);
  assert.equal(await login(after, account, "right"), 204);
});

test("only a login with an account sets the cookie, for 90 days", () =>
  withAuth({ declarations: [Login] }, async ({ app }) => {
    const cookies = async (password: string) =>
      (await app.client().request("POST", `/login/ada/${password}`)).headers.getSetCookie();
    assert.deepEqual(
      (await cookies("api")).map((line) => line.split("=")[0]),
      ["session_id"],
    );
    const [, known = ""] = await cookies("right");
    assert.match(known, /^known_client=[\w-]{43}; .*Max-Age=7776000.*HttpOnly/i);
  }));
