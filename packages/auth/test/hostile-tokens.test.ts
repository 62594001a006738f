import assert from "node:assert/strict";
import { test } from "node:test";
import { BearerAuth, Tokens } from "@tenon/auth";
import type { Routes } from "@tenon/core";
import { testOnBothTransports, withAuth } from "./support/auth-app.ts";
import { hostileTokens } from "./support/hostile-tokens.ts";
import { mint } from "./support/jwt.ts";

class Guarded {
  routes(): Routes {
    return [{ method: "GET", path: "/me", handler: (ctx) => ctx.get("user_id"), middlewares: [BearerAuth] }];
  }
}

testOnBothTransports(
  "every hostile token gets 401 Invalid token",
  { declarations: [Guarded] },
  async (ask, { clock }) => {
    const claims = { user_id: "ada", email: "ada@example.com", exp: clock.now() / 1000 + 3600 };
    const good = await ask("/me", { authorization: `Bearer ${mint({ payload: claims })}` });
    assert.deepEqual(good.body, "ada", "the unchanged token is accepted");

    const corpus = hostileTokens(clock.now() / 1000);
    assert.equal(new Set(corpus.map(({ token }) => token)).size, corpus.length, "the corpus has no duplicates");
    assert.ok(corpus.length >= 120, `${corpus.length} tokens`);
    const accepted: string[] = [];
    for (const { name, token } of corpus) {
      const { status, body } = await ask("/me", { authorization: `Bearer ${token}` });
      if (status !== 401 || JSON.stringify(body) !== '{"error":"Invalid token"}') {
        accepted.push(`${name}: ${status} ${JSON.stringify(body)}`);
      }
    }
    assert.deepEqual(accepted, []);
  },
);

test("a hostile token is refused although a valid one with the same claims is cached", () =>
  withAuth({}, async ({ app, clock }) => {
    const tokens = app.get(Tokens);
    const payload = { user_id: "ada", email: "ada@example.com", exp: clock.now() / 1000 + 3600 };
    assert.equal((await tokens.verifyHeader(`Bearer ${mint({ payload })}`))?.user_id, "ada");
    for (const { name, token } of hostileTokens(clock.now() / 1000)) {
      assert.equal(await tokens.verifyHeader(`Bearer ${token}`), undefined, name);
      assert.equal(tokens.recallHeader(`Bearer ${token}`), undefined, `${name}, the second time`);
    }
  }));

test("characters that no header can carry are refused too", () =>
  withAuth({}, async ({ app, clock }) => {
    const token = mint({ payload: { user_id: "ada", exp: clock.now() / 1000 + 3600 } });
    const [head, body, signature] = token.split(".");
    assert.notEqual(await app.get(Tokens).verify(token), undefined);
    for (const odd of ["\n", "\r\n", "\u0000", "\u00ad", "\u200b", "\ufeff", "\ud800", "\uff21"]) {
      for (const text of [
        `${token}${odd}`,
        `${odd}${token}`,
        `${head}.${odd}${body}.${signature}`,
        `${head}${odd}.${body}.${signature}`,
      ]) {
        assert.equal(await app.get(Tokens).verify(text), undefined, JSON.stringify(odd));
      }
    }
    for (const dot of ["\u3002", "\uff0e", "%2e", ". "]) {
      assert.equal(await app.get(Tokens).verify(token.replaceAll(".", dot)), undefined);
    }
  }));
