import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { describe, test } from "node:test";
import { RefreshTokens, refreshTokenSeconds } from "@tenon/auth";
import { Database } from "@tenon/data";
import { sql } from "kysely";
import { withFolder } from "../../data/test/support/services.ts";
import { keyValues } from "../../data/test/support/stores.ts";
import { type AuthApp, withAuth } from "./support/auth-app.ts";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

async function next(tokens: RefreshTokens, token: string): Promise<string> {
  const refreshed = await tokens.refresh(token);
  assert.ok(refreshed, "the token is valid");
  return refreshed.refreshToken;
}

for (const adapter of keyValues) {
  describe(`refresh tokens on ${adapter.name}`, () => {
    const run = (name: string, body: (tokens: RefreshTokens, parts: AuthApp) => Promise<void>) =>
      test(name, () =>
        adapter.with((data) => withAuth({ data }, (parts) => body(parts.app.get(RefreshTokens), parts))),
      );

    run("a refresh token is a random UUID and returns its user and the next token", async (tokens) => {
      const token = await tokens.generate("ada");
      assert.match(token, uuid);
      const refreshed = await tokens.refresh(token);
      assert.equal(refreshed?.userId, "ada");
      assert.match(refreshed.refreshToken, uuid);
      assert.notEqual(refreshed.refreshToken, token);
    });

    run("rotations within one second leave only the last token valid", async (tokens, { clock }) => {
      const now = clock.now();
      const used: string[] = [];
      let token = await tokens.generate("ada");
      for (let count = 0; count < 5; count++) {
        used.push(token);
        token = await next(tokens, token);
      }
      assert.equal(clock.now(), now);
      assert.equal(new Set([...used, token]).size, 6);
      token = await next(tokens, token);
      assert.equal(await tokens.refresh(used[4] ?? ""), undefined);
    });

    run("presenting a used token again revokes its family, and no other", async (tokens, { log }) => {
      const first = await tokens.generate("ada");
      const other = await tokens.generate("ada");
      const second = await next(tokens, first);
      const third = await next(tokens, second);
      assert.equal(await tokens.refresh(first), undefined);
      assert.equal(await tokens.refresh(third), undefined, "the newest of the family");
      assert.ok(await tokens.refresh(other), "another login of the same user");
      const events = log.all.filter((line) => line.event === "refresh token reused");
      assert.deepEqual(
        events.map(({ level, user_id }) => ({ level, user_id })),
        [{ level: "warn", user_id: "ada" }],
      );
    });

    run("a token is valid for 7 days less a second and expired at 7 days", async (tokens, { clock, log }) => {
      assert.equal(refreshTokenSeconds, 7 * 24 * 60 * 60);
      const [early, late] = [await tokens.generate("ada"), await tokens.generate("ada")];
      clock.advance((refreshTokenSeconds - 1) * 1000);
      const renewed = await next(tokens, early);
      clock.advance("1s");
      assert.equal(await tokens.refresh(late), undefined);
      assert.ok(await tokens.refresh(renewed), "each one has 7 days of its own");
      assert.deepEqual(log.messages("warn"), [], "an expired token is not reported as reused");
    });

    run("an expired token stays expired when the clock is set back (C1)", async (tokens, { clock, log }) => {
      const [seen, asked, unseen] = [
        await tokens.generate("ada"),
        await tokens.generate("ada"),
        await tokens.generate("ada"),
      ];
      clock.advance(refreshTokenSeconds * 1000);
      assert.equal(await tokens.refresh(seen), undefined);
      assert.equal(await tokens.ownerOf(asked), undefined);
      clock.set(clock.now() - 3600_000);
      assert.equal(await tokens.refresh(seen), undefined);
      assert.equal(await tokens.refresh(asked), undefined);
      assert.ok(await tokens.refresh(unseen), "its expiry is the time that was set when it was issued");
      assert.deepEqual(log.messages("warn"), [], "an expired token is not reported as reused");
    });

    run("exactly one of many concurrent refreshes wins", async (tokens) => {
      for (let round = 0; round < 5; round++) {
        const token = await tokens.generate("ada");
        const results = await Promise.all(Array.from({ length: 20 }, () => tokens.refresh(token)));
        assert.equal(results.filter((result) => result !== undefined).length, 1);
      }
    });

    run("a revocation ends the token and all that descend from the same login", async (tokens) => {
      const first = await tokens.generate("ada");
      const second = await next(tokens, first);
      await tokens.revoke(first); // a used one does as well
      assert.equal(await tokens.refresh(second), undefined);
      const again = await tokens.generate("ada");
      await tokens.revoke(again);
      await tokens.revoke(again);
      assert.equal(await tokens.refresh(again), undefined);
      assert.ok(await tokens.refresh(await tokens.generate("ada")));
    });

    run("after a revocation that races with a refresh no token of the family works", async (tokens) => {
      for (let round = 0; round < 10; round++) {
        const token = await tokens.generate("ada");
        const [refreshed] = await Promise.all([tokens.refresh(token), tokens.revoke(token)]);
        assert.equal(await tokens.refresh(token), undefined);
        if (refreshed !== undefined) assert.equal(await tokens.refresh(refreshed.refreshToken), undefined);
      }
    });

    run("text that was never issued is not a token", async (tokens, { log }) => {
      const good = await tokens.generate("ada");
      for (const token of ["", "x", good.toUpperCase(), `${good} `, "x".repeat(10_000), "'", "\ud800"]) {
        assert.equal(await tokens.refresh(token), undefined);
        await tokens.revoke(token);
      }
      assert.deepEqual(log.messages("warn"), []);
      assert.ok(await tokens.refresh(good));
    });
  });
}

test("a used token stays invalid after a restart, and an unused one works", () =>
  withFolder(async (folder) => {
    const data = { database: `sqlite:${join(folder, "app.db")}` };
    const [used, fresh] = await withAuth({ data }, async ({ app }) => {
      const token = await app.get(RefreshTokens).generate("ada");
      return [token, await next(app.get(RefreshTokens), token)] as const;
    });
    const newest = await withAuth({ data }, ({ app }) => next(app.get(RefreshTokens), fresh));
    await withAuth({ data }, async ({ app }) => {
      assert.equal(await app.get(RefreshTokens).refresh(used), undefined);
      assert.equal(await app.get(RefreshTokens).refresh(fresh), undefined);
    });
    await withAuth({ data }, async ({ app }) => {
      assert.equal(await app.get(RefreshTokens).refresh(newest), undefined, "its family stays revoked too");
    });
  }));

test("no row of the store holds a token, only digests", () =>
  withAuth({}, async ({ app }) => {
    const first = await app.get(RefreshTokens).generate("ada");
    const second = await next(app.get(RefreshTokens), first);
    const { rows } = await sql<{ key: string; value: string }>`select key, value from tenon_key_value`.execute(
      app.get(Database),
    );
    const text = JSON.stringify(rows);
    assert.ok(!text.includes(first) && !text.includes(second));
    assert.ok(text.includes(createHash("sha256").update(second).digest("hex")));
  }));
