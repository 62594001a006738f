import assert from "node:assert/strict";
import { test } from "node:test";
import { Database, sql } from "@tenon/data";
import { startProxy } from "../support/fault-proxy.ts";
import { services, withPostgres } from "../support/services.ts";
import { recovered } from "../support/settle.ts";
import { withStores } from "../support/stores.ts";

test("SQLite has no channels", () =>
  withStores({ database: "sqlite::memory:" }, async (app) => {
    assert.equal(
      app.get(Database).listen("news", () => {}),
      undefined,
    );
  }));

test(
  "a listener hears what is notified, also after the connection was lost",
  { skip: services.postgres === undefined },
  () =>
    withPostgres(async (url) => {
      const { proxy, url: database } = await startProxy(url, 5432);
      try {
        await withStores({ database }, async (app) => {
          const db = app.get(Database);
          const heard: (string | undefined)[] = [];
          const stop = db.listen("news", (payload) => heard.push(payload));
          const hears = (payload: string) =>
            recovered(async () => {
              await sql`select pg_notify('news', ${payload})`.execute(db);
              assert.ok(heard.includes(payload));
            });
          await hears("first");
          const connections = heard.filter((payload) => payload === undefined).length;
          await proxy.become("refused");
          await proxy.become("none");
          await hears("second");
          assert.ok(heard.filter((payload) => payload === undefined).length > connections); // says that it may have missed some
          stop?.();
        });
      } finally {
        await proxy.stop();
      }
    }),
);
