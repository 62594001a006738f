import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { describe, test } from "node:test";
import { Sessions, sessionSeconds } from "@tenon/auth";
import { KeyValue } from "@tenon/data";
import { withFolder } from "../../data/test/support/services.ts";
import { keyValues } from "../../data/test/support/stores.ts";
import { type AuthApp, withAuth } from "./support/auth-app.ts";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

for (const adapter of keyValues) {
  describe(`sessions on ${adapter.name}`, () => {
    const run = (name: string, body: (sessions: Sessions, parts: AuthApp) => Promise<void>) =>
      test(name, () => adapter.with((data) => withAuth({ data }, (parts) => body(parts.app.get(Sessions), parts))));

    run("a session has a random UUID, its user and its creation time", async (sessions, { clock }) => {
      const id = await sessions.create("ada");
      assert.match(id, uuid);
      assert.deepEqual(await sessions.find(id), { user_id: "ada", created_at: clock.timestamp() });
      assert.equal(await sessions.find(id.toUpperCase()), undefined);
    });

    run("a session is valid for 24 hours less a second and expired at 24 hours", async (sessions, { clock }) => {
      const id = await sessions.create("ada");
      assert.equal(sessionSeconds, 24 * 60 * 60);
      clock.advance("86399s");
      assert.equal((await sessions.find(id))?.user_id, "ada");
      clock.advance("1s");
      assert.equal(await sessions.find(id), undefined);
    });

    run("an expired session stays expired when the clock is set back (C1)", async (sessions, { clock }) => {
      const [seen, unseen] = [await sessions.create("ada"), await sessions.create("ada")];
      clock.advance("86400s");
      assert.equal(await sessions.find(seen), undefined);
      clock.set(clock.now() - 3600_000);
      assert.equal(await sessions.find(seen), undefined);
      assert.equal(
        (await sessions.find(unseen))?.user_id,
        "ada",
        "its expiry is the time that was set when it was created",
      );
      clock.advance("3600s");
      assert.equal(await sessions.find(unseen), undefined);
    });

    run("destroying a session leaves the others", async (sessions) => {
      const [first, second] = [await sessions.create("ada"), await sessions.create("ada")];
      assert.notEqual(first, second);
      await sessions.destroy(first);
      await sessions.destroy(first);
      assert.equal(await sessions.find(first), undefined);
      assert.equal((await sessions.find(second))?.user_id, "ada");
    });

    run("the store holds a digest instead of the session id", async (sessions, { app }) => {
      const id = await sessions.create("ada");
      const store = app.get(KeyValue);
      assert.equal(await store.get(`session:${id}`), undefined);
      const kept = await store.get(`session:${createHash("sha256").update(id).digest("hex")}`);
      assert.ok(!JSON.stringify(kept).includes(id));
      assert.match(JSON.stringify(kept), /"user_id":"ada"/);
    });

    run("text that was never issued is not a session", async (sessions) => {
      for (const id of [
        "",
        "x",
        "../session",
        "00000000-0000-4000-8000-000000000000",
        "x".repeat(10_000),
        "'",
        "\ud800",
      ]) {
        assert.equal(await sessions.find(id), undefined);
        await sessions.destroy(id);
      }
    });
  });
}

test("a session survives a restart of the application, and so does its destruction", () =>
  withFolder(async (folder) => {
    const data = { database: `sqlite:${join(folder, "app.db")}` };
    const [kept, destroyed] = await withAuth({ data }, async ({ app }) => {
      const sessions = app.get(Sessions);
      const ids = [await sessions.create("ada"), await sessions.create("ada")] as const;
      await sessions.destroy(ids[1]);
      return ids;
    });
    await withAuth({ data }, async ({ app }) => {
      assert.equal((await app.get(Sessions).find(kept))?.user_id, "ada");
      assert.equal(await app.get(Sessions).find(destroyed), undefined);
    });
  }));

test("a session that one instance destroys is at once invalid on the other", () =>
  withFolder(async (folder) => {
    const data = { database: `sqlite:${join(folder, "app.db")}` };
    await withAuth({ data }, ({ app: first }) =>
      withAuth({ data }, async ({ app: second }) => {
        const id = await first.get(Sessions).create("ada");
        assert.equal((await second.get(Sessions).find(id))?.user_id, "ada");
        await first.get(Sessions).destroy(id);
        assert.equal(await second.get(Sessions).find(id), undefined);
      }),
    );
  }));
