import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { api, defineModule } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { dataModule, SharedStore } from "@tenon/data";
import { liveModule } from "@tenon/live";
import { until } from "../../../core/test/support/until.ts";
import { OwnPostgres, postgresBinary } from "../../../data/test/support/own-postgres.ts";
import { PostgresStore } from "../../src/channels/postgres-store.ts";
import { readOne } from "../support/instances.ts";

test("a subscriber is reset after a failover, which may have lost what it has seen", {
  skip: postgresBinary("postgres") === undefined,
}, async () => {
  const server = await OwnPostgres.make();
  const data = dataModule({ database: server.url });
  const app = await createTestApp(defineModule({ name: "test", imports: [data, liveModule(data)] }), api());
  try {
    const shared = app.get(SharedStore);
    const { postgres } = shared;
    assert.ok(postgres);
    const store = new PostgresStore(shared, postgres, { events: 100, seconds: 1000 });
    await store.append("a", "said", "1");
    const { last } = await readOne(store, "a", undefined, 0);
    const folder = await postgres.query<{ readonly data_directory: string }>("show data_directory", []);
    await server.stop();
    await server.start();
    const hasGap = async () => (await readOne(store, "a", last, 100)).hasGap;
    const isUp = () =>
      hasGap().then(
        () => true,
        () => false,
      );
    await until(isUp, "response after a restart");
    assert.equal(await hasGap(), false, "a restart is not a failover");

    await server.stop();
    writeFileSync(join(folder.rows[0]?.data_directory ?? "", "standby.signal"), "");
    await server.start();
    await until(
      () =>
        postgres.query("select pg_promote()", []).then(
          () => true,
          () => false,
        ),
      "promotion",
    );
    await until(isUp, "response after the promotion");
    assert.equal(await hasGap(), true);
  } finally {
    await app.stop();
    await server.remove();
  }
});
