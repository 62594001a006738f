import assert from "node:assert/strict";
import { test } from "node:test";
import { api, defineModule, inject, route } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { Database, dataModule, Health, HealthController, RefuseWhenBusy, Sweeps, sql } from "@tenon/data";
import { until } from "../../core/test/support/until.ts";
import { services, withPostgres } from "./support/services.ts";

let runs = 0;

class Numbers {
  readonly #db = inject(Database);

  readonly guarded = route.get("/guarded", { middlewares: [RefuseWhenBusy] }, () => this.#read());
  readonly plain = route.get("/plain", {}, () => this.#read());

  routes() {
    return [this.guarded, this.plain];
  }

  async #read() {
    runs++;
    return (await sql<{ one: number }>`select 1 as one`.execute(this.#db)).rows;
  }
}

test("without a pool no request is refused", async () => {
  const data = dataModule({ database: "sqlite::memory:" });
  const app = await createTestApp(defineModule({ name: "app", imports: [data], declarations: [Numbers] }), api());
  assert.equal((await app.request("GET", "/guarded")).status, 200);
  await app.stop();
});

if (services.postgres !== undefined) {
  test("while the queue of the pool is full, requests are refused and the application stays ready", () =>
    withPostgres(async (database) => {
      // a machine that stalls must not look like a server that is down
      const data = dataModule({ database, postgres: { poolSize: 1, connectTimeout: 60_000 } });
      const module = defineModule({ name: "app", imports: [data], declarations: [Numbers, HealthController] });
      const app = await createTestApp(module, api());
      await app.start();
      const db = app.get(Database);
      try {
        const isReady = async () => (await app.request("GET", "/health/ready")).status === 200;
        await until(isReady, "a connection for readiness");
        let waiting: Promise<unknown>[] = [];
        await db.connection().execute(async () => {
          waiting = Array.from({ length: 100 }, () => sql`select 1`.execute(db));
          runs = 0;
          for (const [path, ran] of [
            ["/guarded", 0],
            ["/plain", 1],
          ] as const) {
            const response = await app.request("GET", path);
            assert.deepEqual([response.status, await response.json()], [503, { error: "store unavailable" }]);
            assert.equal(response.headers.get("retry-after"), "1");
            assert.equal(runs, ran, path);
          }
          for (let sweep = 0; sweep < 3; sweep++) await app.get(Sweeps).run(); // they wait for better times
          const { checks } = await app.get(Health).report();
          assert.deepEqual(Object.keys(checks), ["database", "keyValue"]);
          await until(isReady, "an application that is ready");
        });
        await Promise.all(waiting);
        assert.equal((await app.request("GET", "/guarded")).status, 200);
      } finally {
        await app.stop();
      }
    }));
}
