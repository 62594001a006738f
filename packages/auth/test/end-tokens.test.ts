import assert from "node:assert/strict";
import { test } from "node:test";
import { BearerAuth, Logins, OptionalBearerAuth, Tokens } from "@tenon/auth";
import type { Context, Routes } from "@tenon/core";
import { shared } from "../../data/test/support/stores.ts";
import { testOnBothTransports, withAuth } from "./support/auth-app.ts";
import { mint } from "./support/jwt.ts";

class Guarded {
  routes(): Routes {
    return [
      { method: "GET", path: "/me", handler: (ctx: Context) => ctx.get("user_id"), middlewares: [BearerAuth] },
      {
        method: "GET",
        path: "/optional",
        handler: (ctx: Context) => ctx.get("user_claims")?.user_id ?? "guest",
        middlewares: [OptionalBearerAuth],
      },
    ];
  }
}

const newUser = () => ({ id: crypto.randomUUID(), email: "ada@example.com", role: "user" });
const setup = { declarations: [Guarded], auth: { endTokens: true } };

testOnBothTransports(
  "tokens of before the end of all logins are refused, cached or not",
  setup,
  async (ask, { app }) => {
    const user = newUser();
    const bearer = async (stamp?: string) => ({
      authorization: `Bearer ${await app.get(Tokens).issue(user, stamp)}`,
    });
    for (let round = 0; round < 2; round++) {
      const [used, unused] = [await bearer(), await bearer()];
      const before = await app.get(Logins).stampOf(user.id);
      for (const path of ["/me", "/optional"]) assert.equal((await ask(path, used)).status, 200);
      await app.get(Logins).endAll(user.id);
      for (const headers of [used, unused, await bearer(before)]) {
        for (const path of ["/me", "/optional"]) {
          const { status, body } = await ask(path, headers);
          assert.deepEqual([status, body], [401, { error: "Invalid token" }]);
        }
      }
      // the clock of the test does not move: a token of the same second is valid
      for (const path of ["/me", "/optional"]) assert.equal((await ask(path, await bearer())).status, 200);
    }
    assert.equal((await ask("/optional")).status, 200);
  },
);

for (const adapter of shared) {
  test(`a token that one instance ends is at once invalid on the other (${adapter.name})`, () =>
    adapter.with((data) =>
      withAuth({ ...setup, data }, ({ app: first }) =>
        withAuth({ ...setup, data }, async ({ app: second }) => {
          const user = newUser();
          const authorization = `Bearer ${await first.get(Tokens).issue(user)}`;
          const ask = async () =>
            (await second.fetch(new Request("http://localhost/me", { headers: { authorization } }))).status;
          assert.equal(await ask(), 200);
          await first.get(Logins).endAll(user.id);
          assert.equal(await ask(), 401);
        }),
      ),
    ));
}

testOnBothTransports(
  "a token that no login has issued is valid until it expires",
  setup,
  async (ask, { app, clock }) => {
    const { id, email } = newUser();
    const authorization = `Bearer ${mint({ payload: { user_id: id, email, exp: clock.now() / 1000 + 60 } })}`;
    assert.equal((await ask("/me", { authorization })).status, 200);
    await app.get(Logins).endAll(id);
    for (const path of ["/me", "/optional"]) assert.equal((await ask(path, { authorization })).body, id);
    clock.advance("60s");
    assert.equal((await ask("/me", { authorization })).status, 401);
  },
);

test("without the option access tokens live until they expire", () =>
  withAuth({ declarations: [Guarded] }, async ({ app, clock }) => {
    const user = newUser();
    await app.get(Logins).endAll(user.id);
    const token = await app.get(Tokens).issue(user);
    await app.get(Logins).endAll(user.id);
    const ask = async () =>
      (await app.fetch(new Request("http://localhost/me", { headers: { authorization: `Bearer ${token}` } }))).status;
    assert.equal(await ask(), 200);
    clock.advance("24h");
    assert.equal(await ask(), 401);
  }));

test("the option is refused with short claims", async () => {
  await assert.rejects(
    withAuth({ auth: { endTokens: true, claims: "short" } }, async () => {}),
    /endTokens is true and claims is "short"\. It takes claims: "full"/,
  );
});
